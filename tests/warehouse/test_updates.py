"""After an update of the software only what it computes in another way is computed again."""

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager

import duckdb
import pytest

from innspect.warehouse.database import Warehouse
from innspect.warehouse.latest import LATEST_TABLE
from innspect.warehouse.links.stored_links import LINKS_TABLE
from innspect.warehouse.marts import fingerprints, registry
from innspect.warehouse.marts.fingerprints import mart_fingerprints, software_fingerprints
from innspect.warehouse.migration import FINGERPRINT_TABLE
from innspect.warehouse.news.stored_news import NEWS_TABLE
from innspect.warehouse.publish import exclude, inn_marts
from innspect.warehouse.publish.marts import _MartWriter
from innspect.warehouse.risk.stored_risk import SCORES_TABLE
from innspect.warehouse.risk.version_findings import FINDINGS_TABLE
from tests.support.stored_links import wrong_links
from tests.support.stored_news import wrong_news
from tests.support.stored_risk import wrong_risk
from tests.warehouse.test_delta import EXCLUDED, INNS, History, check_again, check_all, check_later, name_members

STORED = {"risk": SCORES_TABLE, "links": LINKS_TABLE, "news": NEWS_TABLE}
"""A table of each kind of rows that are computed again when they are needed."""
FREEZES, PROFILE = "Decisions to suspend operations", "One counterparty in one row"
"""How the files of two marts begin."""
OF_RISK = {name for name, source in registry.mart_sources() if "{signals}" in source or "{scores}" in source}
MARTS_OF_COPY = "SELECT table_name FROM duckdb_tables() WHERE schema_name = 'mart'"


@pytest.fixture
def history(warehouse, tmp_path) -> History:
    return History(warehouse, tmp_path)


@contextmanager
def other_software(**functions: object) -> Generator[None]:
    """Functions of `registry` or `fingerprints` are others: so is the software."""
    with pytest.MonkeyPatch.context() as patch:
        for name, function in functions.items():
            patch.setattr(registry if hasattr(registry, name) else fingerprints, name, function)
        _forget_computed()
        try:
            yield
        finally:
            patch.undo()
            _forget_computed()


def _forget_computed() -> None:
    for module in (registry, fingerprints, inn_marts, exclude):
        for function in vars(module).values():
            if hasattr(function, "cache_clear"):
                function.cache_clear()


def edit(replacements: Mapping[str, Sequence[tuple[str, str]]]) -> dict[str, Callable[[str], str]]:
    """Software in which the files that begin with these words have other texts."""
    fill_comments = registry.fill_comments

    def fill_edited(source: str) -> str:
        for first, pairs in replacements.items():
            if source.startswith(f"-- {first}"):
                for found, replacement in pairs:
                    assert found in source
                    source = source.replace(found, replacement)
        return fill_comments(source)

    return {"fill_comments": fill_edited}


def without(file: str) -> dict[str, Callable[[], list[str]]]:
    """Software that lacks a mart."""
    files = registry.mart_files()
    assert file in files
    return {"mart_files": lambda: [name for name in files if name != file]}


def with_other_code(*packages: str) -> dict[str, Callable[..., str]]:
    """Software in which the code of packages differs."""
    of_names = fingerprints.code_fingerprint
    return {"code_fingerprint": lambda *names: "of other code" if {*packages} & {*names} else of_names(*names)}


@pytest.fixture
def complete_marts(monkeypatch) -> set[str]:
    """The marts that a publication writes with all rows."""
    marts = set[str]()
    write = _MartWriter.write

    def note(writer: _MartWriter, name: str, *, is_first: bool) -> bool:
        if is_first:
            marts.add(name)
        return write(writer, name, is_first=is_first)

    monkeypatch.setattr(_MartWriter, "write", note)
    return marts


def stored_rows(warehouse: Warehouse) -> dict[str, list[tuple[object, ...]]]:
    return {kind: warehouse.query(f"SELECT * FROM {table} ORDER BY ALL").rows() for kind, table in STORED.items()}


def reopen(history: History) -> None:
    history.warehouse.close()
    history.warehouse = Warehouse(history.warehouse.path)


WITH_OTHER_MARTS = {
    **edit(
        {
            FREEZES: [
                ("f.bank, f.bik,", "f.bik AS bank, f.bank AS bik,"),
                ("-- kbk:", "-- budget_code:"),
                ("f.kbk", "f.kbk AS budget_code"),
            ],
            PROFILE: [("r.score, r.score_at_most", "r.score::DOUBLE AS score, r.score_at_most")],
        }
    ),
    **without("pledges.sql"),
}
CHANGED_MARTS = {"account_freezes", "company_profile", "pledges"}


@pytest.mark.long
@pytest.mark.parametrize(
    ("earlier", "again", "computed", "patterns"),
    [
        pytest.param(WITH_OTHER_MARTS, CHANGED_MARTS, set[str](), (), id="marts"),
        pytest.param(WITH_OTHER_MARTS, CHANGED_MARTS, set[str](), EXCLUDED, id="marts, excluded"),
        pytest.param(with_other_code("assessments"), OF_RISK, {"risk"}, (), id="code of risk"),
        pytest.param(
            with_other_code("links", "news"), {"links", "news"}, {"links", "news"}, (), id="code of the others"
        ),
    ],
)
def test_update_computes_only_what_differs(history, complete_marts, earlier, again, computed, patterns):
    history.patterns = patterns
    with other_software(**earlier):
        reopen(history)
        check_all(history)
        name_members(history)
        history.load(20, INNS)
        assert not history.publish(compare=False)
        stored = stored_rows(history.warehouse)
        assert all(stored.values())
    reopen(history)
    now = stored_rows(history.warehouse)
    assert {kind for kind, rows in stored.items() if rows != now[kind]} == computed
    assert all(now[kind] == [] for kind in computed)
    complete_marts.clear()
    assert history.publish(compare=False)
    with duckdb.connect(str(history.copy), read_only=True) as copy:
        published = {name for (name,) in copy.execute(MARTS_OF_COPY).fetchall()}
    assert complete_marts & published == again & published
    assert [*wrong_risk(history.warehouse), *wrong_links(history.warehouse), *wrong_news(history.warehouse)] == []
    complete_marts.clear()
    check_later(history)
    assert history.publish()
    assert published <= complete_marts, "of the copy to compare with, which is built from nothing"


@pytest.mark.long
def test_copy_loses_a_mart_that_the_software_no_longer_has(history):
    check_all(history)
    assert not history.publish(compare=False)
    with other_software(**without("pledges.sql")):
        reopen(history)
        check_again(history)
        assert history.publish()


@pytest.mark.long
def test_stored_rows_of_a_warehouse_with_one_fingerprint_are_computed_again(history):
    check_all(history)
    assert not history.publish(compare=False)
    # As versions before the fingerprints by kind recorded it.
    history.warehouse.connection.execute(
        f"CREATE OR REPLACE TABLE lineage.{FINGERPRINT_TABLE} AS SELECT 'of everything' AS fingerprint"
    )
    reopen(history)
    assert not any(stored_rows(history.warehouse).values())


@pytest.mark.long
@pytest.mark.parametrize(
    ("package", "is_stored_again"),
    [("load", (True, False)), ("risk", (False, True)), ("latest.py", (True, True)), ("links", (False, False))],
)
def test_latest_responses_and_findings_are_stored_again_only_by_other_code(history, package, is_stored_again):
    check_all(history)
    history.warehouse.connection.execute(f"DELETE FROM {LATEST_TABLE}; DELETE FROM {FINDINGS_TABLE}")
    with other_software(**with_other_code(package)):
        reopen(history)
        counts = [history.warehouse.query(f"FROM {table}").height for table in (LATEST_TABLE, FINDINGS_TABLE)]
    assert tuple(count > 0 for count in counts) == is_stored_again


def test_fingerprints_follow_code_and_text():
    known = dict(software_fingerprints())
    marts = dict(mart_fingerprints())
    for changed, parts, names in (
        (with_other_code("risk"), {"risk"}, OF_RISK),
        (with_other_code("marts/fragments.py"), {"latest", "risk", "links", "news"}, {*OF_RISK, "links", "news"}),
        (edit({FREEZES: [("BIK of", "Code of")]}), {"layout"}, {"account_freezes"}),
    ):
        with other_software(**changed):
            now = software_fingerprints()
            assert {part for part in known if known[part] != now[part]} == parts
            assert {name for name in marts if marts[name] != mart_fingerprints()[name]} == names


def test_code_fingerprint_reads_all_files_of_a_package(tmp_path, monkeypatch):
    package = tmp_path / "risk"
    for folder in ("rules", "__pycache__"):
        (package / folder).mkdir(parents=True)
    monkeypatch.setattr(fingerprints, "files", lambda _: tmp_path)
    seen = set[str]()
    for name, text in (
        ("rule.py", "a = 1"),
        ("rule.py", "a = 2"),
        ("rules.sql", "SELECT 1"),
        ("sums.sql", "SELECT 1"),
        ("rules/money.py", ""),
    ):
        (package / name).write_text(text)
        fingerprints.code_fingerprint.cache_clear()
        seen.add(fingerprints.code_fingerprint("risk"))
    for name in ("notes.txt", "__pycache__/rule.py"):
        (package / name).write_text("no code")
    fingerprints.code_fingerprint.cache_clear()
    assert fingerprints.code_fingerprint("risk") in seen
    assert len(seen) == 5
    monkeypatch.undo()
    fingerprints.code_fingerprint.cache_clear()
