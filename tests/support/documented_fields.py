"""Every field of the service: method, path, documented type, and whether the documents name it.

The rows of `documents` are read from the service's documents where they are at hand, else from the CSV as it is. A
declared field that the documents do not name is `observed`: seen in responses. A path has `[]` after a list and `*`
for a key that is data. The method `*` stands for what any response may carry.
"""

import csv
import io
import re
from collections.abc import Iterator
from pathlib import Path

from innspect.schemas.catalogue import BLOCKS, METHODS
from innspect.schemas.declaration import (
    Duplicate,
    Echo,
    Field,
    Ignored,
    Inline,
    Leaves,
    List,
    Map,
    Mark,
    Part,
    Reserved,
    Row,
)
from innspect.schemas.kinds import Form, Kind

FOLDER = Path(__file__).parents[3] / "shared" / "api"
CSV = Path(__file__).parents[1] / "data" / "documented_fields.csv"
COLUMNS = ("method", "path", "type", "source")
DOCUMENTS, OBSERVED = "documents", "observed"
ANY, FULL_CHECK = "*", "full-check"
FULL_CHECK_KEYS = {
    "_verified_empty_blocks",
    "_meta",
    "_meta.inn",
    "_meta.fetched_at",
    "_meta.elapsed_s",
    "_meta.restored_from_local",
}
"""Keys of the full check that belong to no block."""
TYPES = ("string", "int", "number", "bool", "array", "object")
FieldRow = tuple[str, str, str]

# Prose that no rule reads: the fields are named in sentences, or under keys that are data.
OPEN_DATA = {
    "tax-debts": (
        "total int, total_sum number, records array, records[].inn string, records[].ogrn string, "
        "records[].name string, records[].debt_type string, records[].sum number, records[].record_date string"
    ),
    "tax-offences": (
        "total, total_sum, records array, records[].inn string, records[].ogrn string, records[].name string, "
        "records[].offence_type string, records[].article string, records[].sum number, records[].decision_date string"
    ),
    "employees": (
        "record object, record.inn string, record.ogrn string, record.name string, record.headcount int, "
        "record.publish_date string"
    ),
    "revexp": (
        "record object, record.inn string, record.ogrn string, record.name string, record.revenue number, "
        "record.expense number, record.period string"
    ),
    "msp": (
        "record object, record.inn string, record.ogrn string, record.name string, record.headcount int, "
        "record.category string, record.is_ip bool, record.as_of string"
    ),
}
OPEN_DATA_COMMON = "inn string, snapshot_date string, status string, error string"
PROSE = {
    "brief": "social_profiles.*[].url, social_profiles.*[].name, social_profiles.*[].extra",
    "freezes": (
        "_inquiry.price number, _inquiry.balance number, _inquiry.credit int, _inquiry.speed int, _inquiry.attempts int"
    ),
    "general-courts": "raw.sudrf_enriched_count, raw.sudrf_enriched_cost_rub",
    "contracts": (
        "by_year.*.count int, by_year.*.amount number, raw.sources, raw.ext_sources_timeout, raw.all_sources_dead"
    ),
    "pledges": "pledges[].pledgees[].name, pledges[].pledgees[].inn",
    FULL_CHECK: (
        "employees_bulk.record object, risk_flags.mass_director bool, risk_flags.mass_founder bool, "
        "risk_flags.mass_address bool, risk_flags.disqualified_persons bool, risk_flags.illegal_finance bool, "
        "risk_flags.unfair_supplier bool, risk_flags.sanctions bool, risk_flags.sanctions_founders bool, "
        "risk_flags.invalid_address bool, risk_flags.disqualified_records array, risk_flags.linked_companies array, "
        "risk_flags.mass_check_unavailable bool, risk_flags.mass_check_reason string, risk_flags.mass_source string"
    ),
    ANY: "price, balance, status, message, last_updated_at, _from_local bool, _local_fetched_at string",
}
MAPS = ("{year: {", "{vk: [", "{year string: {")
"""How the documents show objects whose keys are data."""


def listed(method: str, text: str) -> Iterator[FieldRow]:
    """Rows of a hand-written list, `path type` by commas."""
    for item in text.split(", "):
        path, _, kind = item.partition(" ")
        yield method, path, kind


def sections(text: str) -> Iterator[tuple[str, str]]:
    """Heading and body of each third-level section, up to the next heading of any level."""
    for part in re.split(r"^(?=#{1,3} )", text, flags=re.MULTILINE):
        heading, _, body = part.partition("\n")
        if heading.startswith("### "):
            yield heading.removeprefix("### "), body


def cells(body: str, columns: int) -> Iterator[list[str]]:
    """Rows of the markdown tables with that many columns, without heads and rules."""
    for line in body.splitlines():
        row = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if line.startswith("| ") and len(row) == columns and row[0] not in {"Field", "Block key", "Rule", "Method"}:
            yield row


def paths(cell: str) -> list[str]:
    """The paths of a field cell: those after the first share its prefix."""
    first, *others = re.split(r", | / ", cell)
    prefix = re.match(r"(?:.*[.\]]\.|)", first)
    stem = prefix.group() if prefix else ""
    return [first.removesuffix("[]"), *(stem + other.removesuffix("[]") for other in others)]


def types(cell: str, count: int) -> list[str]:
    """The types of a type cell, one for each of its paths."""
    given = cell.split(", ")
    return given if len(given) == count else [cell] * count


def braces(text: str) -> Iterator[tuple[str, str]]:
    """Each `{…}` with the words before it, remarks in parentheses left out."""
    before = 0
    for match in re.finditer(r"\{[^{}]*\}", text):
        yield text[before : match.start()], re.sub(r"\([^)]*\)", "", match.group().strip("{}"))
        before = match.end()


def members(method: str, base: str, inner: str) -> Iterator[FieldRow]:
    """Rows of `{name: type, name FORMAT, name[]}` under a base path."""
    for item in inner.split(","):
        words = re.findall(r"[\w\[\]]+", item)
        kind = next((word for word in words[1:] if word in TYPES), "")
        name = words[0]
        yield method, base + name.removesuffix("[]"), "array" if name.endswith("[]") else kind


def field_rows(method: str, cell: list[str]) -> Iterator[FieldRow]:
    """Rows of one line of a field table, the elements named in its meaning included."""
    names = paths(cell[0])
    for path, kind in zip(names, types(cell[1], len(names)), strict=True):
        yield method, path, kind
        if any(shown in cell[2] for shown in MAPS):
            continue
        opener = "[]." if kind == "array" else "."
        for before, inner in braces(cell[2]):
            nested = re.search(r"`(\w+)\[\]` = `$", before)
            base = f"{path}{opener}{nested.group(1)}[]." if nested else f"{path}{opener}"
            yield from members(method, base, inner)


def full_check_rows(body: str) -> Iterator[FieldRow]:
    """Rows of the table of blocks: their keys, and the fields that its notes name."""
    for key, _, notes in cells(body, 3):
        if key.startswith("_meta."):
            yield FULL_CHECK, key, _
            continue
        yield FULL_CHECK, key, "array" if key in {"timeline", "_verified_empty_blocks"} else "object"
        array = ""
        for before, inner in braces(notes):
            base = f"{key}.record." if before.endswith("`record` = `") else f"{key}.{array}"
            rows = list(members(FULL_CHECK, base, inner))
            array = next((path.removeprefix(f"{key}.") + "[]." for _, path, kind in rows if kind == "array"), "")
            yield from rows


def open_data_rows(body: str) -> Iterator[FieldRow]:
    """Rows of the open-data methods; raises where the sentence about one names a field that is not listed here.

    A method's own fields come in its sentence's order, then those that all have.
    """
    for method, sentence in cells(body, 2):
        rows = list(listed(method, f"{OPEN_DATA[method]}, {OPEN_DATA_COMMON}"))
        here = {re.split(r"[.\]]+", path)[-1] for _, path, _ in rows} | {path for _, path, _ in rows}
        named = set(re.findall(r"`([a-z_]+)`", sentence)) - {"loaded", "idle"}
        if named - here:
            raise ValueError(f"{method}: {', '.join(sorted(named - here))}: name them in OPEN_DATA.")
        yield from rows


def parents(rows: list[FieldRow]) -> Iterator[FieldRow]:
    """Rows, each after the lists and objects that it implies."""
    seen: set[tuple[str, str]] = {(method, path) for method, path, _ in rows}
    for method, path, kind in rows:
        for match in re.finditer(r"(?<=\w)(\[\])?\.", path):
            parent = (method, path[: match.start()])
            if parent not in seen:
                seen.add(parent)
                yield *parent, "array" if match.group(1) else "object"
        yield method, path, kind


def method_of(heading: str) -> str:
    """The method that a section is about."""
    named = re.search(r"\(`([\w-]+)`", heading)
    return named.group(1) if named else heading.split(maxsplit=1)[0].rstrip(":")


def documented(folder: Path) -> list[FieldRow]:
    """Every documented field, each once, in the order of the documents."""
    rows: list[FieldRow] = list(listed(ANY, PROSE[ANY]))
    for document in sorted(folder.glob("*.md")):
        for heading, body in sections(document.read_text(encoding="utf-8")):
            if heading == "Full check":
                rows += [*full_check_rows(body), *listed(FULL_CHECK, PROSE[FULL_CHECK])]
            elif heading.startswith("Open-data methods"):
                rows += open_data_rows(body)
            elif heading != "Shared conventions":
                method = method_of(heading)
                for cell in cells(body, 3):
                    rows += field_rows(method, cell)
                rows += listed(method, PROSE[method]) if method in PROSE else ()
    known: dict[tuple[str, str], str] = {}
    for method, path, kind in parents(rows):
        at = (method, re.sub(r"^\[\]\.", "", path))
        known[at] = known.get(at) or kind
    return [(*at, kind) for at, kind in known.items()]


def read_rows() -> list[dict[str, str]]:
    """The rows of the checked-in CSV."""
    with CSV.open(encoding="utf-8") as file:
        return list(csv.DictReader(file))


def declared_parts(block: str) -> dict[str, Part]:
    """Every declared part of a block by its path, spelled as in the CSV."""
    at_root = BLOCKS[block].rows_at_root
    return {path.removeprefix(f"{at_root}[].") if at_root else path: part for path, part in _declared(BLOCKS[block])}


def _declared(row: type[Row], before: str = "") -> Iterator[tuple[str, Part]]:
    for name, part in row.row_parts.items():
        yield before + name, part
        if isinstance(part, List) and isinstance(part.of, type):
            yield from _declared(part.of, f"{before}{name}[].")
        elif isinstance(part, Inline):
            yield from _declared(part.of, f"{before}{name}.")
        elif isinstance(part, Map):
            keys = {*part.keys, *(label for label, _ in part.label)}
            inner = [(path, field) for path, field in _declared(part.of) if path not in keys]
            if len(inner) > 1 or part.many:
                stem = before + name + ".*" * len(part.keys) + ("[]." if part.many else ".")
                yield from ((stem + path, field) for path, field in inner)


def types_of(part: Part) -> set[str]:
    """The documented types that a part can stand for."""
    match part:
        case Field(kind=kind) | Duplicate(kind=kind):
            return _types_of_kind(kind)
        case Mark():
            return {"array"} if part.many else _types_of_kind(part.kind)
        case Echo():
            return {"string"}
        case Reserved():
            return {str: {"string"}, bool: {"bool"}, int: {"int"}, list: {"array"}, dict: {"object"}}[type(part.empty)]
        case List(of=Kind() as kind):
            return {"array"} | {f"array of {name}" for name in _types_of_kind(kind)}
        case List():
            return {"array"}
        case Leaves():
            return {"array", "object"}
        case Map() | Inline() | Ignored():
            return {"object"}


def _types_of_kind(kind: Kind) -> set[str]:
    match kind.form:
        case Form.TEXT | Form.DATE | Form.INSTANT:
            return {"string"}
        case Form.LABEL | Form.YEAR:
            return {"string", "int"}
        case Form.INTEGER | Form.UNIX:
            return {"int"}
        case Form.NUMBER | Form.MONEY:
            return {"number"}
        case Form.FLAG:
            return {"bool"}
        case Form.JSON:
            return {"object", "array"}


def block_fields(rows: list[FieldRow]) -> Iterator[tuple[str, str, str]]:
    """Block, path and type of each row that is about a field of a block."""
    by_key = {block.full_check_key: name for name, block in BLOCKS.items() if block.full_check_key}
    for method, path, kind in rows:
        if method == FULL_CHECK:
            key, _, inner = path.partition(".")
            if path not in FULL_CHECK_KEYS and inner:
                yield by_key[key], inner, kind
        elif method != ANY:
            yield METHODS[method].block, path, kind


def observed(rows: list[FieldRow]) -> Iterator[FieldRow]:
    """Rows of the declared fields that the rows of the documents do not name."""
    named = {(block, path) for block, path, _ in block_fields(rows)}
    paths = {(method, path) for method, path, _ in rows}
    for name, block in BLOCKS.items():
        key = block.full_check_key
        if key and (FULL_CHECK, key) not in paths:
            yield FULL_CHECK, key, "array" if block.rows_at_root else "object"
        own = [method.name for method in block.block_methods]
        for path, part in declared_parts(name).items():
            known = (name, path) in named or (ANY, path) in paths or path == block.rows_at_root
            if not known and not (block.undocumented and isinstance(part, Echo)):
                kinds = {kind for kind in types_of(part) if " " not in kind}
                kind = kinds.pop() if len(kinds) == 1 else ""
                yield (own[0], path, kind) if own else (FULL_CHECK, f"{key}.{path}", kind)


def field_table() -> str:
    """The CSV of all fields."""
    if FOLDER.exists():
        rows = documented(FOLDER)
    else:
        rows = [(row["method"], row["path"], row["type"]) for row in read_rows() if row["source"] == DOCUMENTS]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    writer.writerows((*row, DOCUMENTS) for row in rows)
    writer.writerows((*row, OBSERVED) for row in observed(rows))
    return text.getvalue()
