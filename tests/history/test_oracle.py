"""Any sequence of responses in any state, compared with a slow and simple model of what is known when."""

from collections import Counter
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import count, pairwise
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from innspect.flows.load import load_responses
from innspect.warehouse.database import Warehouse
from tests.support.builders import CONVENTIONS, Response, response_frame

START = datetime(2026, 11, 1)
NUMBER = count(1)
LENGTH, TOGETHER = 6, 25


@dataclass(frozen=True)
class Case:
    """An arbitration case or an enforcement proceeding: two cells that move, and parties without a key."""

    result: str | None = None
    money: int = 0
    parties: tuple[str, ...] = ()


@dataclass(frozen=True)
class Told:
    """One response: its sort and its rows."""

    sort: str
    rows: dict[str, Case] = field(default_factory=dict)


@dataclass
class Known:
    """What is known after a response."""

    totals: dict[str, int | None]
    cells: dict[str, dict[str, Any]]
    parties: dict[str, Counter]
    whole: bool


@dataclass(frozen=True)
class Sort:
    """A block of the model: its method, tables, key and columns."""

    method: str
    list_table: str
    key: str
    cells: tuple[str, str]
    totals: tuple[str, ...]
    party_table: str = ""


ARBITRATION = Sort(
    "arbitration",
    "arbitration__cases",
    "case_number",
    ("result", "claim_sum"),
    ("total_cases", "as_plaintiff", "won"),
    "arbitration__cases__plaintiffs",
)
FSSP = Sort(
    "fssp",
    "fssp__proceedings",
    "exe_production",
    ("completion_reason", "sum"),
    ("total_proceedings", "total_debt_rub", "completed_paid"),
)
SORTS = {"arbitration": ARBITRATION, "fssp": FSSP}
IDLE_TOTALS = (
    *("active_proceedings", "completed_proceedings", "active_debt_rub", "completed_no_assets", "completed_expired"),
    *("completed_returned", "completed_other", "as_respondent", "as_third", "lost"),
)
UNTOLD = "total_claim_sum"
"""A sum whose 0 means two things; not part of the account."""
WORDS = {"arbitration": "won", "fssp": "paid"}


def body(block: str, told: Told) -> Any:
    if told.sort == "broken":
        return ["not", "an", "object"]
    failed = {"partial": ["main"], "silent": ["main"]}.get(told.sort, [])
    # The service sums up absent amounts to 0.
    counted = {**dict.fromkeys(IDLE_TOTALS, 0), **{k: v or 0 for k, v in totals(block, cells_of(told)).items()}}
    if block == "fssp":
        return {
            **counted,
            "proceedings": [
                {"exe_production": key, "completion_reason": row.result or "", "sum": row.money}
                for key, row in told.rows.items()
            ],
            "sources_failed": failed,
            "error": "",
        }
    return {
        **counted,
        "unavailable": told.sort == "unavailable",
        "cases": [
            {
                "case_number": key,
                "role": "plaintiff",
                "result": row.result or "",
                "claim_sum": row.money,
                "plaintiffs": [{"name": name} for name in row.parties],
            }
            for key, row in told.rows.items()
        ],
        "sources_failed": failed,
        "error": "",
    }


def cells_of(told: Told) -> dict[str, dict[str, Any]]:
    """The cells of the rows; an amount of 0 means that none was obtained."""
    return {key: {"word": row.result, "money": row.money or None} for key, row in told.rows.items()}


def totals(block: str, cells: dict[str, dict[str, Any]]) -> dict[str, int | None]:
    """The counters and sums of these rows; a sum over rows without an amount is not known."""
    done = sum(row["word"] is not None for row in cells.values())
    amounts = [row["money"] for row in cells.values() if row["money"] is not None]
    money = sum(amounts) if amounts or not cells else None
    values = (len(cells), money, done) if block == "fssp" else (len(cells), len(cells), done)
    return dict(zip(SORTS[block].totals, values, strict=True))


def after(block: str, known: Known | None, told: Told) -> Known | None:
    """What is known after a response, by the documented rules."""
    if told.sort in ("broken", "silent", "unavailable"):
        return known
    cells = cells_of(told)
    parties = {key: Counter(row.parties) for key, row in told.rows.items()}
    if told.sort != "partial":
        return Known(totals(block, cells), cells, parties, whole=True)
    if known is None:
        return Known(totals(block, cells), cells, parties, whole=False)
    merged = {key: dict(row) for key, row in known.cells.items()}
    for key, row in cells.items():
        merged[key] = {name: row[name] if row[name] is not None else merged.get(key, {}).get(name) for name in row}
    united = {key: known.parties.get(key, Counter()) | parties.get(key, Counter()) for key in merged}
    return Known(totals(block, merged), merged, united, known.whole)


def changes(block: str, old: Known | None, new: Known | None) -> Counter:
    """(table, key, change, column) of all that changed between the two."""
    sort, told = SORTS[block], Counter()
    if old is None or new is None:
        return told
    settled = old.whole or not new.whole
    for name in sort.totals:
        told[block, "", "changed", name] += settled and old.totals[name] != new.totals[name]
    for key in new.cells.keys() | old.cells.keys():
        if key not in old.cells:
            told[sort.list_table, key, "added", None] += settled
        elif key not in new.cells:
            told[sort.list_table, key, "removed", None] += 1
        else:
            for name, column in zip(("word", "money"), sort.cells, strict=True):
                before, now = old.cells[key][name], new.cells[key][name]
                told[sort.list_table, key, "changed", column] += before != now and (settled or before is not None)
            if sort.party_table:
                # A name that one response repeats and another gives once has neither come nor gone.
                came = [name for name in new.parties[key].elements() if name not in old.parties[key]]
                went = [name for name in old.parties[key].elements() if name not in new.parties[key]]
                told[sort.party_table, key, "added", None] += len(came) * settled
                told[sort.party_table, key, "removed", None] += len(went)
    return +told


def sequences(block: str) -> st.SearchStrategy[list[Told]]:
    case = st.builds(
        Case,
        st.sampled_from([None, WORDS[block]]),
        st.sampled_from([0, 5, 7]),
        st.lists(st.sampled_from("AB"), max_size=3).map(tuple) if block == "arbitration" else st.just(()),
    )
    rows = st.dictionaries(st.sampled_from(["k1", "k2", "k3"]), case, min_size=1, max_size=3)
    empty = ["clean", "silent", "broken"] + (["unavailable"] if block == "arbitration" else [])
    told = st.builds(Told, st.sampled_from(["found", "partial"]), rows) | st.builds(Told, st.sampled_from(empty))
    # A nightly check mostly gets equal responses.
    return st.lists(told, min_size=2, max_size=3).flatmap(
        lambda few: st.lists(st.sampled_from(few) | told, min_size=LENGTH, max_size=LENGTH)
    )


@pytest.fixture(scope="module")
def shared(tmp_path_factory, create_empty_warehouse):
    with Warehouse(create_empty_warehouse(tmp_path_factory.mktemp("oracle") / "warehouse.duckdb")) as warehouse:
        yield warehouse


def read_known(warehouse: Warehouse, block: str, prefix: str, moment: datetime | None) -> dict[str, Known]:
    """The rows of the warehouse for INNs with a prefix, now or at a moment."""
    sort = SORTS[block]

    def rows(table: str, columns: str) -> list[tuple]:
        source = f"current.{table}" if moment is None else f"as_of.{table}($moment)"
        given = {} if moment is None else {"moment": moment}
        return warehouse.query(f"SELECT inn, {columns} FROM {source} WHERE inn LIKE '{prefix}%'", given).rows()

    told = {
        inn: Known(dict(zip(sort.totals, values, strict=True)), {}, {}, whole=True)
        for inn, *values in rows(block, ", ".join(sort.totals))
    }
    number = f"{sort.list_table.split('__')[1]}_no"
    names: dict[tuple[str, int], str] = {}
    for inn, key, word, money, place in rows(sort.list_table, f"{sort.key}, {', '.join(sort.cells)}, {number}"):
        names[inn, place] = key
        told[inn].cells[key] = {"word": word, "money": None if money is None else int(money)}
        told[inn].parties[key] = Counter()
    if sort.party_table:
        for inn, place, name in rows(sort.party_table, f"{number}, name"):
            told[inn].parties[names[inn, place]][name] += 1
    return told


def told_changes(warehouse: Warehouse, prefix: str, at: datetime) -> dict[str, Counter]:
    found: dict[str, Counter] = {}
    for inn, table, key, change, column in warehouse.query(
        "SELECT inn, table_name, row_key, change, column_name FROM lineage.changes "
        f"WHERE inn LIKE '{prefix}%' AND seen_at = $at AND column_name IS DISTINCT FROM $untold",
        {"at": at, "untold": UNTOLD},
    ).rows():
        found.setdefault(inn, Counter())[table, key.split(" / ")[0], change, column] += 1
    return found


def believed(known: dict[str, Known | None]) -> dict[str, Known]:
    return {inn: replace(one, whole=True) for inn, one in known.items() if one is not None}


@pytest.mark.long
@pytest.mark.parametrize("block", SORTS)
@settings(
    max_examples=3,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.data_too_large],
)
@given(data=st.data())
def test_current_as_of_and_changes_match_a_slow_oracle(shared, block, data):
    prefix = f"77{next(NUMBER):04d}"
    told = {f"{prefix}{place:04d}": data.draw(sequences(block)) for place in range(TOGETHER)}
    cuts = data.draw(st.sets(st.integers(1, LENGTH - 1)))
    times = [START + timedelta(days=number) for number in range(LENGTH)]
    for start, end in pairwise([0, *sorted(cuts), LENGTH]):
        answers = [
            Response(
                SORTS[block].method, body(block, told[inn][place]), inn, asked_at=times[place], name=f"{inn}-{place}"
            )
            for inn in told
            for place in range(start, end)
        ]
        load_responses(shared, response_frame(answers, file=f"{prefix}-{start}"), CONVENTIONS)

    known: dict[str, Known | None] = dict.fromkeys(told)
    for place, at in enumerate(times):
        expected = {}
        for inn, sequence in told.items():
            new = after(block, known[inn], sequence[place])
            if changed := changes(block, known[inn], new):
                expected[inn] = changed
            known[inn] = new
        found = told_changes(shared, prefix, at)
        for inn in expected.keys() | found.keys():
            assert found.get(inn) == expected.get(inn), (told[inn], place)
        then = read_known(shared, block, prefix, at + timedelta(hours=1))
        for inn, one in believed(known).items():
            assert then.get(inn) == one, (told[inn], place)
        assert then.keys() == believed(known).keys()
    assert read_known(shared, block, prefix, None) == believed(known)
    assert read_known(shared, block, prefix, START - timedelta(days=1)) == {}
