from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

from innspect.schemas import blocks
from innspect.schemas.catalogue import BLOCKS, FULL_CHECK, METHODS
from innspect.schemas.column_names import FROM_FULL_CHECK
from innspect.schemas.declaration import (
    Block,
    CoverageRules,
    Duplicate,
    Echo,
    Field,
    Inline,
    Leaves,
    List,
    Map,
    Mark,
    Part,
    Row,
    UnknownIfAny,
    is_true,
)
from innspect.schemas.decoders import decoder
from innspect.schemas.kinds import FLAG, RUB, TEXT, Form, Kind
from innspect.schemas.tables import tables, tables_of


def rows_of(row: type[Row]) -> Iterator[type[Row]]:
    """A row and every row inside it."""
    yield row
    for part in row.row_parts.values():
        if isinstance(part, List | Map | Inline) and isinstance(part.of, type):
            yield from rows_of(part.of)


EVERY_ROW = sorted(
    {row for block in BLOCKS.values() for row in rows_of(block)}, key=lambda row: (row.__module__, row.__qualname__)
)
EVERY_PART = [(f"{row.__name__}.{name}", part) for row in EVERY_ROW for name, part in row.row_parts.items()]
DESCRIBED = [(name, part) for name, part in EVERY_PART if not isinstance(part, Echo)]


def text_of(part: Part) -> str:
    return part.description if isinstance(part, Field | Mark | List | Map | Inline | Leaves | Echo) else part.reason


def kinds() -> list[Kind]:
    fields = [part.kind for _, part in EVERY_PART if isinstance(part, Field | Mark | Duplicate)]
    return fields + [part.of for _, part in EVERY_PART if isinstance(part, List) and isinstance(part.of, Kind)]


def test_every_module_of_the_folder_declares_its_block_in_a_place_of_its_own() -> None:
    folder = Path(blocks.__file__).parent
    assert {path.stem for path in folder.glob("*.py")} - {"__init__", "open_data", "company_news"} == set(BLOCKS)
    orders = [block.block_order for block in BLOCKS.values()]
    assert orders == sorted(set(orders))


def test_every_block_has_a_title_in_both_languages() -> None:
    for titles in ([block.title_en for block in BLOCKS.values()], [block.title_ru for block in BLOCKS.values()]):
        assert all(titles)
        assert len(titles) == len(set(titles))


@pytest.mark.parametrize(("name", "part"), DESCRIBED, ids=[name for name, _ in DESCRIBED])
def test_every_part_has_a_description(name: str, part: Part) -> None:
    assert text_of(part).strip("."), name
    assert text_of(part).endswith(".")


def test_descriptions_within_a_row_are_distinct() -> None:
    for row in EVERY_ROW:
        texts = [part.description for part in row.row_parts.values() if isinstance(part, Field)]
        assert len(texts) == len(set(texts)), row


@pytest.mark.parametrize("row", EVERY_ROW, ids=lambda row: row.__name__)
def test_every_row_has_a_description(row: type[Row]) -> None:
    assert (row.__doc__ or "").strip().endswith(".")
    assert row.__doc__ != Row.__doc__


@pytest.mark.parametrize("kind", list(dict.fromkeys(kinds())), ids=lambda kind: kind.name)
def test_every_kind_is_complete(kind: Kind) -> None:
    assert kind.form in Form
    assert bool(kind.formats) == (kind.form in (Form.DATE, Form.INSTANT))
    assert not (kind.values and kind.pattern) or kind.name == "one_of"
    assert len(set(kind.values)) == len(kind.values)


def row_with(**parts: Part) -> None:
    type("Wrong", (Row,), parts)


@pytest.mark.parametrize(
    "declare",
    [
        lambda: type("Wrong", (Row,), {}, key=("number|name",)),
        lambda: row_with(copy=Duplicate("name", TEXT, "Repeated.")),
        lambda: row_with(flag=Field(FLAG, "A flag.", null_while="unchecked")),
        lambda: row_with(sum=Field(RUB, "A sum.", zero=UnknownIfAny("rows"))),
        lambda: row_with(years=Map(Row, "Years.")),
        lambda: type(
            "Wrong", (Block,), {"coverage": CoverageRules(partial={"x": is_true("x")})},
            name="wrong", order=99, title_en="Wrong", title_ru="Неверный",
        ),
    ],
)  # fmt: skip
def test_declaration_with_a_missing_part_is_rejected(declare) -> None:
    with pytest.raises(TypeError, match="which it does not have"):
        declare()


@pytest.mark.parametrize("table", tables().values(), ids=lambda table: table.name)
def test_column_names_are_distinct_and_not_reserved(table) -> None:
    names = [column.name for column in table.columns]
    assert len(names) == len(set(names))
    assert not {"version_id", "inn", *table.ordinals} & set(names)
    assert {name for entry in table.key for name in entry} <= set(names)


@pytest.mark.parametrize("block", BLOCKS.values(), ids=list(BLOCKS))
def test_every_reason_of_a_block_is_distinct(block: type[Block]) -> None:
    rules = block.coverage
    reasons = [*rules.unavailable, *rules.unconfirmed, *rules.incomplete, *rules.partial]
    assert len(reasons) == len(set(reasons))


@pytest.mark.parametrize("block", list(BLOCKS))
def test_every_block_has_decoders(block: str) -> None:
    body = b"[]" if BLOCKS[block].rows_at_root else b"{}"
    assert decoder(block).decode(body) is not None
    assert decoder(block, with_envelope=True).decode(body) is not None


@pytest.mark.parametrize("method", METHODS.values(), ids=lambda method: method.name)
def test_every_method_has_a_price_and_a_block(method) -> None:
    if method.name in {"ping", "account"}:
        assert (method.price, method.block) == (0, "")
        return
    assert method.price >= 400
    assert method.price % 100 == 0
    assert method.block in BLOCKS or method.name == FULL_CHECK


def test_every_block_can_be_requested() -> None:
    for block in BLOCKS.values():
        assert block.block_methods or block.full_check_key


REGISTERS = ["notary", "fedresurs"]
STATES = {
    "fssp": [({"sources_failed": ["site_inn"]}, "incomplete")],
    "general_courts": [
        ({"unavailable": True}, "unavailable"),
        ({"courts_searched": 0}, "incomplete"),
        ({"courts_searched": 3, "from_store_only": True}, "incomplete"),
        ({"courts_searched": 3, "courts_in_region": 3, "errors": 1}, "incomplete"),
        ({"courts_searched": 3, "courts_in_region": 4}, "incomplete"),
        ({"courts_searched": 3, "courts_in_region": 3, "errors": 0}, ""),
        ({"courts_searched": 3, "courts_in_region": 0}, "incomplete"),
    ],
    "contracts": [
        ({"unavailable": True}, "unavailable"),
        ({"total_contracts": 5000}, "incomplete"),
        ({"total_contracts": 4999}, ""),
        ({"sources_failed": ["plan_44"]}, "incomplete"),
        ({"sources_ok": ["plan_44"]}, "incomplete"),
        ({"raw_all_sources_dead": True}, "incomplete"),
        ({"raw_ext_sources_timeout": "true"}, "incomplete"),
        ({"raw_ext_sources_timeout": '["plan_44"]'}, "incomplete"),
        ({"raw_ext_sources_timeout": "false"}, ""),
    ],
    "tax_debts": [({"status": "downloading"}, "unconfirmed"), ({"status": "idle"}, "")],
    "tax_offences": [({"status": "failed"}, "unconfirmed"), ({"status": "loaded"}, "")],
    "msp": [
        ({"status": None}, "unconfirmed"),
        ({"status": "idle"}, ""),
        ({"status": "loaded", "record#": 1}, ""),
        ({"status": "loaded", "record#": 0}, "unconfirmed"),
    ],
    "risk_flags": [
        ({"mass_check_unavailable": True}, "partial"),
        ({"mass_check_unavailable": False}, ""),
        ({"mass_source": "x"}, ""),
        ({}, "partial"),
        ({"mass_source": "x", "linked_companies#": 250}, ""),
    ],
    "sanctions": [({"sources_failed": ["UK_FCDO"]}, "incomplete"), ({"sources_checked": ["UK_FCDO"]}, ""), ({}, "")],
    "inspections": [({"total": 3, "inspections#": 2}, "incomplete"), ({"total": 2, "inspections#": 2}, "")],
    "rnp": [({"filter_bypassed": True}, "unconfirmed"), ({"total": 30}, "incomplete"), ({"total": 29}, "")],
    "pledges": [
        ({"unavailable": True}, "unavailable"),
        ({"raw_answered": False}, "unconfirmed"),
        ({"raw_sources": REGISTERS, "raw_answered": True, "fetched": 2, "total_pledges": 3}, "incomplete"),
        ({"raw_sources": REGISTERS, "raw_answered": None, "fetched": 3, "total_pledges": 3}, ""),
        ({"raw_sources": ["notary"], "fetched": 3, "total_pledges": 3}, "incomplete"),
        ({"fetched": 3, "total_pledges": 3}, "incomplete"),
    ],
    "licenses": [
        ({"sources_checked": ["ROSZ"], "sources_failed": ["MCHS"]}, "incomplete"),
        ({"sources_checked": ["ROSZ"], "sources_failed": []}, "incomplete"),
        ({"sources_checked": ["ROSZ", "MCHS"], "sources_failed": []}, ""),
        ({"sources_checked": ["ROSZ"], "sources_failed": ["MCHS"], "health#": 1}, "incomplete"),
        ({"sources_checked": [], "health#": 1}, "incomplete"),
        ({"sources_checked": []}, "incomplete"),
    ],
    "minjust_check": [
        ({"sources_checked": ["x"]}, ""),
        ({"sources_checked": [], "hits#": 1}, "incomplete"),
        ({}, "incomplete"),
    ],
    "company": [({"name": "x"}, ""), ({"ogrn": "x"}, ""), ({"address": "x"}, "unconfirmed")],
}


def marks_frame(block: type[Block], values: dict[str, object]) -> pl.DataFrame:
    """The row that the rules of a block look at, with the values given and all else absent."""
    root = tables_of(block.block_name)[0]
    types: dict[str, pl.DataType] = {
        column.name: column.kind.frame if column.kind.form is not Form.MONEY else pl.Float64()
        for column in root.columns
    }
    types |= {name: pl.List(pl.String()) if mark.many else mark.kind.frame for name, mark, _ in root.marks}
    counted = [
        name
        for name, part in block.row_parts.items()
        if isinstance(part, List | Map | Leaves) or (isinstance(part, Inline) and part.record)
    ]
    types |= {f"{name}#": pl.Int64() for name in counted} | {FROM_FULL_CHECK: pl.Boolean()}
    row = {name: 0 if name.endswith("#") else None for name in types} | values
    return pl.DataFrame([row], schema=types)


def holds(rules: CoverageRules, group: str, frame: pl.DataFrame) -> bool:
    return any(frame.select(condition.alias("held")).item() for condition in getattr(rules, group).values())


@pytest.mark.parametrize(
    ("block", "values", "group"), [(block, *case) for block, cases in STATES.items() for case in cases]
)
def test_coverage_rules(block: str, values: dict[str, object], group: str) -> None:
    frame = marks_frame(BLOCKS[block], {"status": "idle", **values} if "status" in BLOCKS[block].row_parts else values)
    groups = ("unavailable", "unconfirmed", "incomplete", "partial")
    held = [name for name in groups if holds(BLOCKS[block].coverage, name, frame)]
    assert held[:1] == ([group] if group else [])
