"""`docs/coverage.md`: what each documented mark of each block leads to, from the declarations."""

from collections.abc import Iterator, Mapping
from pathlib import Path

import polars as pl

from innspect.reports.i18n.en import TEXTS
from innspect.schemas.catalogue import BLOCKS
from innspect.schemas.column_names import count_column
from innspect.schemas.declaration import LIST_FULL, Block, Inline, Leaves, List, Map
from innspect.schemas.states import SnapshotState
from innspect.schemas.tables import tables_of

DOCUMENT = Path(__file__).parents[2] / "docs" / "coverage.md"
OUTCOMES: Mapping[str, tuple[SnapshotState, SnapshotState]] = {
    "unavailable": (SnapshotState.UNAVAILABLE, SnapshotState.PARTIAL),
    "unconfirmed": (SnapshotState.UNCONFIRMED, SnapshotState.UNCONFIRMED),
    "incomplete": (SnapshotState.UNCONFIRMED, SnapshotState.PARTIAL),
    "partial": (SnapshotState.PARTIAL, SnapshotState.PARTIAL),
}
"""States without content and with content, by the group of the rule."""
HEAD = """# What each mark leads to

Generated from the declarations in `schemas/blocks` by `make generate`. The states are those of [`lineage.snapshots`](data-dictionary.md); the rules behind them are in
[decision 0002](decisions/0002-what-an-empty-response-proves.md) and [decision 0045](decisions/0045-silence-is-no-evidence.md).

Content is a row in a list, a record, a flag that is true, a stage or an intention; for `company` it is a registration number or a name. Without content and without any of the conditions
below a response is `clean`; with content it is `found`.

## Any block

| Response | Without content | With content | Reason |
| --- | --- | --- | --- |
| Transport or HTTP error, invalid JSON, another INN, payload of another type | failed | failed | `http_500`, `not_json`, `another_inn`, `wrong_type` |
| Named in `_verified_empty_blocks` of a full check | clean | by its content | |
| Absent from a full check, or an empty object that is not named (except `trademarks`) | missing |  | `absent`, `not_named_empty` |
| Status `unavailable` in the envelope | unavailable; blocks of a full check unconfirmed, `status:unavailable` | partial | `unavailable` |
| Another status than the setting `service.ok_statuses` | unconfirmed | by its content | `status:WORD` |
| A status that the block does not declare, inside the payload | unconfirmed | by its content; the cell is NULL | `status:WORD` |
| No field that describes the company | unconfirmed |  | `no_field` |
| `error`, `unavailable`, `filter_bypassed`, `sources_failed`, or `available` false, in the payload or around it, where the block has no rule of its own | unconfirmed | partial | the text \
of the error, or the mark |
| A counter above 0 without rows | unconfirmed | partial | `counted_not_listed` |
| A counter of all rows above the number of rows, where the block has no rule of its own |  | partial | `not_all_listed` |
| A part of another JSON type than declared | unconfirmed | partial | `shape` |
| Collected before the known answer, or of an older data set, with other content ([0095](decisions/0095-older-answers.md)) | unconfirmed | unconfirmed | `older_answer` |

The documented empty forms that are `clean`: `[]` of `timeline`, `{}` of `trademarks`, `record` null in `employees`, `revexp` and `msp`, and `contacts` with any field.

## By block

"""


def coverage_document() -> str:
    """The text of the document."""
    lines = [HEAD + "| Block | Fields | Without content | With content | Reason |", "| --- | --- | --- | --- | --- |"]
    for name, block in BLOCKS.items():
        lines += [f"| `{name}` | {' | '.join(cells)} |" for cells in _rules(block)]
    lines += [
        "",
        "## Marks that decide nothing",
        "",
        "They are stored in `lineage.snapshots.marks`; the documents do not say that they make a response unreliable.",
        "",
        "| Block | Mark | Meaning |",
        "| --- | --- | --- |",
    ]
    for name, block in BLOCKS.items():
        lines += [f"| `{name}` | `{path}` | {meaning} |" for path, meaning in _other_marks(block)]
    return "\n".join(lines) + "\n"


def _rules(block: type[Block]) -> Iterator[tuple[str, str, str, str]]:
    """Fields, states and reason of each rule of the block."""
    for group, (empty, filled) in OUTCOMES.items():
        for reason, rule in getattr(block.coverage, group).items():
            text = TEXTS.get(f"reason.{reason}", "")
            yield _fields(block, rule), empty.value, filled.value, f"`{reason}`: {text}" if text else f"`{reason}`"
    if block.coverage.announced is not None:
        fields = _fields(block, block.coverage.announced)
        reason = f"`counted_not_listed`: {TEXTS['reason.counted_not_listed']}"
        yield f"{fields} without rows", SnapshotState.UNCONFIRMED.value, SnapshotState.PARTIAL.value, reason
    for table in tables_of(block.block_name):
        limits: dict[str, tuple[str, ...]] = {}
        if table.followed:
            limits[f"{table.followed.limit} persons"] = table.followed.names
            limits[f"{table.max_rows} rows"] = ("", table.followed.inside)
        if table.withheld:
            limits[f"{table.withheld.max_rows} rows that may be withheld"] = (*table.withheld.rows.meta.root_names(),)
        for limit, names in limits.items():
            fields = ", ".join(f"`{f'{table.attribute}.{name}'.rstrip('.')}`" for name in names)
            reason = f"`{LIST_FULL}`, from {limit} on: {TEXTS[f'reason.{LIST_FULL}']}"
            yield fields, "", SnapshotState.FOUND.value, reason


def _fields(block: type[Block], rule: pl.Expr) -> str:
    paths = _paths(block)
    return ", ".join(dict.fromkeys(f"`{paths[name]}`" for name in rule.meta.root_names() if name in paths))


def _paths(block: type[Block]) -> dict[str, str]:
    """Path of each column that a rule may use."""
    root = tables_of(block.block_name)[0]
    paths = {name: ".".join(getter) for name, _, getter in root.marks}
    paths |= {column.name: ".".join(column.getter) for column in root.columns}
    for name, part in block.row_parts.items():
        if isinstance(part, List | Map | Leaves) or (isinstance(part, Inline) and part.record):
            paths[count_column(name)] = name
    return paths


def _other_marks(block: type[Block]) -> Iterator[tuple[str, str]]:
    """Path and meaning of the marks, and of fields that are no content, that no rule and no flag reads."""
    root, rules = tables_of(block.block_name)[0], block.coverage
    groups = (rules.unavailable, rules.unconfirmed, rules.incomplete, rules.partial)
    read = {name for group in groups for rule in group.values() for name in rule.meta.root_names()}
    read |= {name for column in root.columns for name in column.field.check_marks()}
    read |= {of_store for name, mark, _ in root.marks if mark.dates for of_store in (name, mark.dates)}
    for name, mark, getter in root.marks:
        if name not in (*read, "error"):
            yield ".".join(getter), mark.description
    for column in root.columns:
        if not column.field.content and column.name not in read:
            yield ".".join(column.getter), column.field.description
