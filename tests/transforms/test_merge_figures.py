"""Counters, sums and rows agree after merges of complete, partial and narrow responses in any order."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from innspect.schemas.catalogue import BLOCKS, FULL_CHECK
from innspect.schemas.declaration import Field, Groups, List, Map, Row, count_of, sum_of
from innspect.schemas.frames import SNAP
from innspect.schemas.kinds import COUNT, TEXT
from innspect.schemas.states import SnapshotState
from innspect.schemas.tables import tables, tables_of
from innspect.transforms.versions.versioning import add_versions
from tests.support.builders import FULL_CHECK_KEYS, INN, OWN_METHOD, Response, full_check_body, transform_responses

JsonObject = dict[str, Any]
Figures = dict[str, Callable[[list[JsonObject]], Any]]


def number_of(**cells: Any) -> Callable[[list[JsonObject]], int]:
    return lambda rows: sum(all(row[name] == value for name, value in cells.items()) for row in rows)


def sum_over(column: str, **cells: Any) -> Callable[[list[JsonObject]], Any]:
    return lambda rows: sum(
        row[column] or 0 for row in rows if all(row[name] == value for name, value in cells.items())
    )


@dataclass(frozen=True)
class Subject:
    """A block of the test: its list, the key and the other cells of the rows, and the figures that the service counts.

    `partial`: marks of a partial response; none where only a list at its cap is one.
    """

    rows: str
    key: str
    cells: st.SearchStrategy[JsonObject]
    figures: Figures
    partial: JsonObject | None = None
    whole: JsonObject = field(default_factory=dict)
    sizes: tuple[int, ...] = (1, 2, 3, 4)
    pool: int = 6


def proceeding(reason: str, amount: int) -> JsonObject:
    end = "ст. 47" if reason else ""
    return {"is_active": not reason, "completion_reason": reason, "end_reason": end, "sum": amount}


AMOUNTS = st.sampled_from([0, 5, 700])
SUMS_OF = {
    "total_claim_sum": "total_cases",
    "total_debt_rub": "total_proceedings",
    "active_debt_rub": "active_proceedings",
}
"""Figures whose 0 is unknown unless the count is 0."""
SUBJECTS = {
    "fssp": Subject(
        "proceedings",
        "exe_production",
        st.builds(proceeding, st.sampled_from(["", "", "paid", "no_assets"]), AMOUNTS),
        {
            "total_proceedings": len,
            "active_proceedings": number_of(is_active=True),
            "completed_proceedings": number_of(is_active=False),
            "total_debt_rub": sum_over("sum"),
            "active_debt_rub": sum_over("sum", is_active=True),
            "completed_paid": number_of(completion_reason="paid"),
            "completed_no_assets": number_of(completion_reason="no_assets"),
            "completed_expired": number_of(completion_reason="expired"),
            "completed_returned": number_of(completion_reason="returned"),
            "completed_other": number_of(completion_reason="other"),
        },
        {"sources_failed": ["site_inn"]},
    ),
    "arbitration": Subject(
        "cases",
        "case_number",
        st.fixed_dictionaries(
            {
                "role": st.sampled_from(["plaintiff", "respondent", "third"]),
                "result": st.sampled_from(["", "won", "lost"]),
                "claim_sum": AMOUNTS,
            }
        ),
        {
            "total_cases": len,
            "as_plaintiff": number_of(role="plaintiff"),
            "as_respondent": number_of(role="respondent"),
            "as_third": number_of(role="third"),
            "won": number_of(role="plaintiff", result="won"),
            "lost": number_of(role="respondent", result="lost"),
            "total_claim_sum": sum_over("claim_sum"),
        },
        {"raw": {"enrichment_pending": True}},
    ),
    "contracts": Subject(
        "contracts",
        "reg_num",
        st.fixed_dictionaries(
            {
                "role": st.sampled_from(["supplier", "customer"]),
                "amount": AMOUNTS,
                "sign_date": st.sampled_from(["2024-05-01", "2025-06-01"]),
                "law": st.just("fz44"),
            }
        ),
        {
            "total_contracts": len,
            "total_amount": sum_over("amount"),
            "supplier_amount": sum_over("amount", role="supplier"),
            "customer_amount": sum_over("amount", role="customer"),
            "as_supplier": number_of(role="supplier"),
            "as_customer": number_of(role="customer"),
            "fz44_contracts": len,
        },
        {"sources_failed": ["plan_44"]},
    ),
    "rnp": Subject(
        "records",
        "reg_number",
        st.fixed_dictionaries({"status": st.sampled_from(["Размещено", "Исключено"])}),
        {"total": len, "active": number_of(status="Размещено"), "historic": number_of(status="Исключено")},
        {"error": "search_http_503"},
        sizes=(1, 29, 30),
        pool=33,
    ),
    "freezes": Subject(
        "items",
        "decision_num",
        st.just({"decision_date": "01.03.2024", "bik": "044525999"}),
        {"count": len},
        whole={"available": True, "found": True},
        sizes=(1, 29, 30),
        pool=33,
    ),
    "risk_flags": Subject(
        "efrsb_messages",
        "number",
        st.just({"type": "x", "date": "2024-03-01T10:00:00"}),
        {},
        {"mass_check_unavailable": True},
        {"mass_source": "s", "mass_director": True, "status_name": "Действующее", "mass_check_unavailable": False},
        sizes=(1, 19, 20),
        pool=23,
    ),
}


@dataclass(frozen=True)
class Step:
    """A response: its form, its rows by key, and how many of the counted rows it does not list."""

    form: str
    rows: dict[str, JsonObject]
    unlisted: int = 0


def steps(subject: Subject, block: str) -> st.SearchStrategy[list[Step]]:
    keys = [f"k{number}" for number in range(subject.pool)]
    chosen = st.sampled_from(subject.sizes).flatmap(
        lambda size: st.lists(st.sampled_from(keys), min_size=size, max_size=size, unique=True)
    )
    rows = st.tuples(chosen, st.lists(subject.cells, min_size=3, max_size=3)).map(
        lambda drawn: {key: drawn[1][place % 3] for place, key in enumerate(drawn[0])}
    )
    forms = ["found", *(["partial"] * 2 if subject.partial else []), *(["narrow"] if block == "risk_flags" else [])]
    unlisted = st.sampled_from([0, 0, 0, 1]) if block in ("fssp", "arbitration") else st.just(0)
    return st.lists(st.builds(Step, st.sampled_from(forms), rows, unlisted), min_size=2, max_size=5)


def response(block: str, subject: Subject, step: Step) -> Response:
    rows = [{subject.key: key, **cells} for key, cells in step.rows.items()]
    body = {name: figure(rows) for name, figure in subject.figures.items()} | {subject.rows: rows} | subject.whole
    if step.unlisted:
        active = {"fssp": ("total_proceedings", "active_proceedings"), "arbitration": ("total_cases", "as_third")}
        body |= {name: body[name] + step.unlisted for name in active[block]}
    if block == "contracts":
        years = {row["sign_date"][:4] for row in rows}
        of_year = {year: [row for row in rows if row["sign_date"].startswith(year)] for year in years}
        body["by_year"] = {
            year: {"count": len(of), "amount": sum(row["amount"] for row in of)} for year, of in of_year.items()
        }
    if step.form == "partial":
        body |= subject.partial or {}
    if step.form == "narrow":
        del body[subject.rows], body["status_name"]
        return Response(FULL_CHECK, full_check_body({FULL_CHECK_KEYS[block]: body}))
    return Response(OWN_METHOD[block], body)


@dataclass
class Chain:
    """The latest version of one block, response after response."""

    block: str
    known: dict[str, pl.DataFrame] = field(default_factory=dict)
    state: str = ""
    kept: dict[str, list[int | None]] = field(default_factory=dict)

    def add(self, answer: Response) -> None:
        versioned = add_versions(transform_responses(answer), self.known)
        of_block = versioned.snapshots.filter(pl.col("block") == self.block)
        snap, self.state, version = of_block.select(SNAP, "state", "version_id").row(0)
        if version is not None:
            own = {t.name: versioned.rows[t.name].filter(pl.col(SNAP) == snap) for t in tables_of(self.block)}
            self.known = {name: rows.drop(SNAP).with_columns(pl.lit(INN).alias("inn")) for name, rows in own.items()}
            rows = versioned.kept_rows.filter(pl.col(SNAP) == snap)
            self.kept = dict(rows.group_by("table_name").agg("row_no").rows())

    def rows(self, name: str) -> list[JsonObject]:
        return self.known[f"{self.block}__{name}"].to_dicts()

    @property
    def row(self) -> JsonObject:
        return self.known[self.block].row(0, named=True)


@pytest.mark.long
@pytest.mark.parametrize("block", SUBJECTS)
@given(data=st.data())
@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
def test_figures_agree_with_the_rows_after_every_response(block: str, data: st.DataObject) -> None:
    subject = SUBJECTS[block]
    cap = tables()[f"{block}__{subject.rows}"].max_rows
    chain, known, ended, has_unlisted = Chain(block), set[str](), set[str](), False
    for step in data.draw(steps(subject, block)):
        chain.add(response(block, subject, step))
        is_full = bool(cap) and len(step.rows) >= cap and step.form != "narrow"
        is_merged = step.form != "found" or is_full or bool(step.unlisted)
        expected = {SnapshotState.FOUND} if not is_merged or block == "risk_flags" else {SnapshotState.PARTIAL}
        assert chain.state in expected | ({SnapshotState.PARTIAL} if step.form == "partial" else set())

        listed = set() if step.form == "narrow" else set(step.rows)
        before, known = known, known | listed if is_merged else listed
        rows = chain.rows(subject.rows)
        assert {row[subject.key] for row in rows} == known
        places = chain.kept.get(f"{block}__{subject.rows}", [])
        if step.form == "narrow":
            assert places == ([None] if before else [])
        else:
            number = f"{subject.rows}_no"
            assert {row[subject.key] for row in rows if row[number] in places} == known - listed

        has_unlisted = bool(step.unlisted) or (has_unlisted and is_merged)
        for name, figure in subject.figures.items():
            value, counted = chain.row[name], figure(rows)
            if name in SUMS_OF and not counted:
                # Nothing that is summed up has an amount: 0 only if there is nothing.
                count = chain.row[SUMS_OF[name]]
                assert value == (0 if count == 0 else None) or (has_unlisted and value > 0), name
            else:
                assert value >= counted if has_unlisted else value == counted, name
        if block == "contracts":
            found = {row["year"]: (row["count"], row["amount"]) for row in chain.rows("by_year")}
            years = {row["sign_date"].year for row in rows}
            of_year = {year: [row for row in rows if row["sign_date"].year == year] for year in years}
            assert found == {year: (len(of), sum(row["amount"] or 0 for row in of)) for year, of in of_year.items()}
        if block == "fssp":
            now = {key for key, cells in step.rows.items() if cells["completion_reason"]}
            ended = ended | now if is_merged else now
            assert not [row for row in rows if row["exe_production"] in ended and row["is_active"]]


def test_ended_proceeding_leaves_the_active_figures_also_where_some_are_not_listed() -> None:
    chain = Chain("fssp")
    active = [{"exe_production": key, **proceeding("", 100)} for key in ("a", "b")]
    body = {"total_proceedings": 5, "active_proceedings": 5, "active_debt_rub": 900, "total_debt_rub": 900}
    chain.add(Response("fssp", {**body, "completed_paid": 0, "proceedings": active}))
    paid = [{"exe_production": "a", **proceeding("paid", 100)}]
    reported = {"total_proceedings": 1, "active_proceedings": 0, "active_debt_rub": 0, "completed_paid": 1}
    chain.add(Response("fssp", {**reported, "proceedings": paid, "sources_failed": ["site_inn"]}))
    figures = ("total_proceedings", "active_proceedings", "active_debt_rub", "total_debt_rub", "completed_paid")
    assert [chain.row[name] for name in figures] == [5, 4, 800, 900, 1]


def test_debt_is_unknown_where_a_merge_leaves_active_proceedings_without_an_amount() -> None:
    chain = Chain("fssp")
    active = [{"exe_production": "a", **proceeding("", 100)}, {"exe_production": "b", **proceeding("", 0)}]
    body = {"total_proceedings": 2, "active_proceedings": 2, "active_debt_rub": 100, "total_debt_rub": 100}
    chain.add(Response("fssp", {**body, "proceedings": active}))
    paid = {"proceedings": [{"exe_production": "a", **proceeding("paid", 100)}], "sources_failed": ["site_inn"]}
    reported = {"total_proceedings": 1, "active_proceedings": 0, "active_debt_rub": 0, "total_debt_rub": 100}
    chain.add(Response("fssp", {**reported, **paid}))
    assert (chain.row["active_proceedings"], chain.row["active_debt_rub"], chain.row["total_debt_rub"]) == (
        1,
        None,
        100,
    )


def test_debt_is_zero_where_a_merge_leaves_no_active_proceeding() -> None:
    chain = Chain("fssp")
    active = [{"exe_production": "a", **proceeding("", 0)}]
    chain.add(Response("fssp", {"total_proceedings": 1, "active_proceedings": 1, "proceedings": active}))
    assert (chain.row["active_proceedings"], chain.row["active_debt_rub"]) == (1, None)
    paid = [{"exe_production": "a", **proceeding("paid", 0)}, {"exe_production": "b", **proceeding("", 0)}]
    paid_before = [{"exe_production": "b", **proceeding("paid", 0)}]
    reported = {"total_proceedings": 1, "active_proceedings": 0, "active_debt_rub": 0, "completed_paid": 1}
    chain.add(Response("fssp", {**reported, "proceedings": paid_before, "sources_failed": ["site_inn"]}))
    reported = {"total_proceedings": 2, "active_proceedings": 1, "active_debt_rub": 0, "completed_paid": 1}
    chain.add(Response("fssp", {**reported, "proceedings": paid, "sources_failed": ["site_inn"]}))
    assert (chain.row["active_proceedings"], chain.row["active_debt_rub"]) == (0, 0)


def test_larger_of_the_known_and_the_reported_total_is_kept() -> None:
    for first, second in ((400, 350), (350, 400)):
        chain = Chain("pledges")
        for total, key in ((first, "1"), (second, "2")):
            body = {"total_pledges": total, "fetched": 1, "pledges": [{"id": key}]}
            chain.add(Response("pledges", {**body, "raw": {"answered": True, "sources": ["notary", "fedresurs"]}}))
        assert (chain.state, chain.row["total_pledges"], len(chain.rows("pledges"))) == (SnapshotState.PARTIAL, 400, 2)


def test_licences_without_documented_fields_are_counted() -> None:
    chain = Chain("licenses")
    whole = {"sources_checked": ["ROSZ", "MCHS"], "health": [{"source": "ROSZ_MD", "license_number": "1"}]}
    chain.add(Response("licenses", {**whole, "total": 3, "mchs": [{"n": "5", "d": {"x": 1}}, {"n": "6"}]}))
    partial = {"total": 1, "health": [], "mchs": [{"n": "7"}], "sources_checked": ["MCHS"], "sources_failed": ["ROSZ"]}
    chain.add(Response("licenses", partial))
    assert (chain.state, chain.row["total"]) == (SnapshotState.PARTIAL, 4)


def test_figure_that_no_response_gives_stays_unknown() -> None:
    chain = Chain("fssp")
    for key in ("a", "b"):
        body = {"total_proceedings": 1, "proceedings": [{"exe_production": key, **proceeding("", 100)}]}
        chain.add(Response("fssp", {**body, "sources_failed": ["site_inn"]}))
    assert (chain.row["total_proceedings"], chain.row["active_proceedings"]) == (2, None)


def test_list_at_its_cap_is_merged_and_the_rest_of_a_complete_response_replaces() -> None:
    subject = SUBJECTS["risk_flags"]
    chain = Chain("risk_flags")

    def flags(first: int, count: int, capital: int, links: int) -> Response:
        rows = [{"number": str(number), "type": "x"} for number in range(first, first + count)]
        linked = [{"inn": f"77000000{number}1"} for number in range(10, 10 + links)]
        body = {subject.rows: rows, "authorized_capital": capital, "linked_companies": linked}
        return Response("risk-flags", {**subject.whole, **body})

    chain.add(flags(0, 20, 10_000, links=2))
    chain.add(flags(5, 20, 20_000, links=1))
    assert chain.state == SnapshotState.FOUND
    assert (len(chain.rows("efrsb_messages")), len(chain.rows("linked_companies"))) == (25, 1)
    assert chain.row["authorized_capital"] == 20_000
    assert chain.kept == {"risk_flags__efrsb_messages": [21, 22, 23, 24, 25]}
    chain.add(flags(5, 19, 20_000, links=1))
    assert len(chain.rows("efrsb_messages")) == 19
    assert chain.kept == {}


def test_contracts_that_leave_a_full_list_stay() -> None:
    chain, cap = Chain("contracts"), tables()["contracts__contracts"].max_rows
    cells = {"role": "supplier", "amount": 5, "sign_date": "2025-06-01", "law": "fz44"}
    for first in (0, 10):
        rows = {f"{number:019}": cells for number in range(first, first + cap)}
        chain.add(response("contracts", SUBJECTS["contracts"], Step("found", rows)))
    assert (chain.state, chain.row["total_contracts"], chain.row["total_amount"]) == (
        "partial",
        cap + 10,
        5 * (cap + 10),
    )
    assert chain.rows("by_year")[0]["count"] == cap + 10


COUNTERS = [
    (block.block_name, column.name)
    for block in BLOCKS.values()
    for column in tables_of(block.block_name)[0].columns
    if column.field.content and column.kind == COUNT and column.name not in ("headcount", "employee_count")
]


@pytest.mark.parametrize(("block", "name"), COUNTERS)
def test_every_counter_of_a_block_is_derived(block: str, name: str) -> None:
    column = next(column for column in tables_of(block)[0].columns if column.name == name)
    assert column.field.figure


def test_every_cap_belongs_to_a_list_of_the_block() -> None:
    assert all(table.own_list in tables() for table in tables().values() if table.max_rows)
    assert {table.name: table.max_rows for table in tables().values() if table.max_rows} == {
        "contracts__contracts": 5000,
        "pledges__pledges": 300,
        "risk_flags__okved_list": 100,
        "risk_flags__efrsb_messages": 20,
        "risk_flags__linked_companies": 250,
        "risk_flags__linked_companies__connections": 250,
        "rnp__records": 30,
        "freezes__items": 30,
    }
    assert {table.name: table.max_rows_each for table in tables().values() if table.max_rows_each} == {
        "arbitration__cases__plaintiffs": 10,
        "arbitration__cases__respondents": 10,
        "arbitration__cases__third_parties": 10,
        "arbitration__cases__instances": 5,
        "arbitration__cases__movements": 20,
        "general_courts__cases__movements": 20,
    }
    assert all(tables()[table.parent].own_ordinal for table in tables().values() if table.max_rows_each)


def test_every_list_by_year_of_the_statements_has_a_window() -> None:
    assert {table.name: (table.window, table.windows) for table in tables_of("financial")[1:]} == {
        "financial__years": ("value", ()),
        "financial__employees_history": ("year", ()),
        "financial__indicators": ("year", ("indicator",)),
        "financial__tax_burden_pct": ("year", ()),
        "financial__lines": ("year", ("form",)),
    }
    assert {table.block for table in tables().values() if table.window} == {"financial"}


def test_window_over_a_field_that_the_rows_do_not_have_is_refused() -> None:
    class Item(Row):
        """An item."""

        year = Field(COUNT, "Year.")

    with pytest.raises(TypeError, match="window of items over items names day"):

        class OfAnotherColumn(Row):
            """Ends a list by a field that its rows do not have."""

            items = List(Item, "Items.", window="day")

    with pytest.raises(TypeError, match="window of texts names year"):

        class OfScalars(Row):
            """Ends a list of scalars by a field."""

            texts = List(TEXT, "Texts.", window="year")

    with pytest.raises(TypeError, match="window of amounts names day"):

        class OfMap(Row):
            """Ends a map by what is no key of it."""

            amounts = Map(Item, "Amounts.", window="day")


def test_figure_over_what_the_block_does_not_have_is_refused() -> None:
    class Item(Row):
        """An item."""

        name = Field(TEXT, "Name.")

    with pytest.raises(TypeError, match="counted names others"):

        class OfAnotherList(Row):
            """Counts a list that it does not have."""

            items = List(Item, "Items.")
            counted = count_of("others", "Others.")

    with pytest.raises(TypeError, match="added over items names price"):

        class OfAnotherColumn(Row):
            """Adds a column that the items do not have."""

            items = List(Item, "Items.")
            added = sum_of("items", "price", "Sum.")

    with pytest.raises(TypeError, match="counted over items names state"):

        class WithAnotherCondition(Row):
            """Counts by a column that the items do not have."""

            items = List(Item, "Items.")
            counted = count_of("items", "Items.", pl.col("state") == "x")

    class OfYear(Row, key=("year",)):
        """A year."""

        year = Field(TEXT, "Year.")
        count = Field(COUNT, "Items.")

    with pytest.raises(TypeError, match="by_year over items names day"):

        class OfAnotherGroup(Row):
            """Groups by a column that the items do not have."""

            items = List(Item, "Items.")
            by_year = Map(OfYear, "Years.", groups=Groups("items", pl.col("day"), {}))
