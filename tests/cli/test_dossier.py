"""The command `dossier`: the same bytes for the same moment, what was known then, and silence that is never an answer."""

import json
import re
from datetime import timedelta
from pathlib import Path

import pytest

from innspect.cli import dossier as command
from innspect.cli._options import CliOptions
from innspect.cli.dossier import DossierArguments, read_moment
from innspect.flows.write_report import find_dossiers
from innspect.reports.portfolio_report.build import ReportOptions, build_report
from innspect.schemas.errors import UsageError
from innspect.warehouse.database import Warehouse
from tests.cli.responses import OTHER, card, unconfirmed_freezes
from tests.support.builders import FIRST, INN, MOSCOW, Response, load_responses
from tests.support.commands import run_here

LATER = FIRST + timedelta(days=1)
BEFORE_CHANGES = "2026-11-20T11:30:00Z"
"""After the first card and the first freezes of `two_companies`."""


def write(home: Path, inn: str | None = INN, output_format: str = "html", **options) -> list[bytes]:
    arguments = {"as_of": None, "language": None, "out": None, "portfolio": None, "level": None, **options}
    given = DossierArguments(inn, output_format=output_format, **arguments)
    assert command.dossier(CliOptions(home=home), given, lambda: LATER) == 0
    return [path.read_bytes() for path in sorted((home / "reports" / "dossiers").iterdir())]


def text_of(page: bytes) -> str:
    """The words of a page, without tags."""
    body = page.decode().partition("<body>")[2]
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", body)).replace("\N{NO-BREAK SPACE}", " ")


def section(page: bytes, name: str) -> str:
    """The words of one section of a page."""
    return text_of(b"<body>" + page.partition(f'<section id="{name}">'.encode())[2].partition(b"</section>")[0])


@pytest.mark.long
def test_made_again_it_is_the_same_even_after_later_responses(two_companies):
    (page,) = write(two_companies, as_of=BEFORE_CHANGES)
    with Warehouse(two_companies / "warehouse.duckdb") as warehouse:
        load_responses(warehouse, card("liquidated", director="C"), start=30)
    assert write(two_companies, as_of=BEFORE_CHANGES) == [page]
    document = json.loads(write(two_companies, as_of=BEFORE_CHANGES, output_format="json")[1])
    assert f'name="innspect:sha256" content="{document["sha256"]}"'.encode() in page
    assert (document["inn"], document["profile"]["status"]) == (INN, "active")


@pytest.mark.long
def test_it_shows_what_was_known_then(two_companies):
    (now,) = write(two_companies)
    (then,) = write(two_companies, as_of=BEFORE_CHANGES)
    assert "ликвидируется" in section(now, "registration")
    assert "действует" in section(then, "registration")
    assert "14:30" in text_of(then)
    assert "источник ответил" not in section(now, "freezes")
    assert "последний ответ этого не подтверждает" in section(now, "freezes")
    assert "проверено, ничего нет" in section(then, "freezes")
    assert section(then, "evidence").count("SHA-256") == 3


def test_silence_is_never_shown_as_clean(two_companies):
    (page,) = write(two_companies, OTHER)
    for name in ("enforcement", "courts", "contracts"):
        words = section(page, name)
        assert "не запрашивалось" in words
        assert "Никогда не запрашивалось. Есть ли записи, неизвестно." in words
        assert "источник ответил, записей нет" not in words
    assert "Что неизвестно" in text_of(page)
    assert "Нет, подтверждено" not in section(page, "enforcement")


def test_signals_that_no_answer_tells_are_among_what_is_not_known(two_companies):
    (page,) = write(two_companies, as_of=BEFORE_CHANGES, output_format="html")
    (document,) = (json.loads(made) for made in write(two_companies, as_of=BEFORE_CHANGES, output_format="json")[1:])
    untold = [row for row in document["signals"] if (row["block"], row["reason"]) == ("company", "not told")]
    assert len(untold) > 2
    unknown = text_of(page).partition("Что неизвестно")[2].partition("Оценка на")[0]
    told = unknown.partition("В ответе не указано:")[2]
    assert [row["title_ru"] for row in untold if row["title_ru"] not in told] == []


@pytest.mark.long
def test_silence_is_dated_by_what_the_service_collected(tmp_path, create_empty_warehouse):
    """The service's own store may give an answer that is months older than its request."""
    stored = {
        "available": True,
        "found": False,
        "items": [],
        "_from_local": True,
        "_local_fetched_at": "2026-08-17 10:00:00",
    }
    with Warehouse(create_empty_warehouse(tmp_path / "warehouse.duckdb")) as warehouse:
        load_responses(warehouse, card("active"), Response("freezes", stored, INN), unconfirmed_freezes())
    (page,) = write(tmp_path)
    unknown = text_of(page).partition("Что неизвестно")[2].partition("Оценка на")[0]
    assert "собрано 17.08.2026" in unknown
    assert f"собрано {FIRST:%d.%m.%Y}" not in unknown
    assert "записей не было" in section(page, "freezes")
    assert "(собрано 17.08.2026)" in section(page, "freezes")


@pytest.mark.long
def test_revenue_is_marked_by_the_block_that_gave_it(tmp_path, create_empty_warehouse):
    """The data set was never requested; the statements are older than the policy allows."""
    statements = {"has_data": True, "years": [2023], "revenue": {"2023": 700}}
    old = Response("financial", statements, INN, asked_at=FIRST - timedelta(days=700))
    with Warehouse(create_empty_warehouse(tmp_path / "warehouse.duckdb")) as warehouse:
        load_responses(warehouse, old, card("active"))
    (page,) = write(tmp_path)
    figure = section(page, "finances").partition("Выручка")[2].partition("Расход")[0]
    assert "700" in figure
    assert f"устарело: собрано {FIRST - timedelta(days=700):%d.%m.%Y}" in figure


def test_debtor_card_is_not_called_a_bankruptcy(tmp_path, create_empty_warehouse):
    cards = [{"status": "", "case_number": "А40-555/2019", "inn": INN}]
    body = {"has_bankruptcy": False, "has_intention": False, "status": "", "total_cases": 1, "cases": cards}
    with Warehouse(create_empty_warehouse(tmp_path / "warehouse.duckdb")) as warehouse:
        load_responses(warehouse, card("active"), Response("bankruptcy", body, INN))
    (page,) = write(tmp_path)
    told = section(page, "bankruptcy")
    assert "Процедура банкротства нет" in told
    assert "Карточки должника в ЕФРСБ" in told
    assert "Дела о банкротстве" not in told
    assert "А40-555/2019" in told


@pytest.mark.long
def test_one_for_each_member_of_a_level(two_companies, tmp_path):
    out = tmp_path / "filed"
    given = DossierArguments(None, None, "json", None, out, "mine", "unknown")
    assert command.dossier(CliOptions(home=two_companies), given, lambda: LATER) == 0
    assert [path.name for path in out.iterdir()] == [f"{INN}.json"]


@pytest.mark.parametrize(
    ("name", "options", "begin"),
    [
        ("a.html", (), b"<!DOCTYPE html>"),
        ("a.PDF", (), b"%PDF-"),
        ("a.xlsx", (), b"PK"),
        ("a.json", ("--format", "json"), b"{"),
        ("a.txt", ("--format", "json"), b"{"),
    ],
)
def test_extension_of_the_file_selects_the_format(capsys, two_companies, tmp_path, name, options, begin):
    file = tmp_path / name
    code, _, err = run_here(capsys, "dossier", INN, "--home", two_companies, "--out", file, *options)
    assert (code, err) == (0, "")
    assert file.read_bytes().lower().startswith(begin.lower())


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("a.doc", (), "a.doc selects no format; add --format html or pdf or xlsx or json."),
        ("a", (), "a selects no format"),
        ("a.pdf", ("--format", "html"), "--format html contradicts the extension of"),
    ],
)
def test_extension_without_a_format_or_of_another_is_an_error(capsys, two_companies, tmp_path, name, options, words):
    file = tmp_path / name
    code, _, err = run_here(capsys, "dossier", INN, "--home", two_companies, "--out", file, *options)
    assert (code, words in err, err.count("\n"), file.exists()) == (2, True, 1, False)


@pytest.mark.long
def test_unwritable_file_is_an_error_in_usage(capsys, two_companies, tmp_path):
    (tmp_path / "afile").touch()
    (tmp_path / "folder.html").mkdir()
    below = tmp_path / "afile" / "x.html"
    dossier, report = ("dossier", INN), ("report", "--portfolio", "mine")
    for arguments, file in ((dossier, below), (dossier, tmp_path / "folder.html"), (report, "/proc/x.html")):
        code, _, err = run_here(capsys, *arguments, "--home", two_companies, "--out", file)
        assert (code, err.startswith(f"innspect: The {arguments[0]} {file} cannot be written (")) == (2, True), err
        assert err.endswith("); name another file with --out.\n")
        assert "(Not a directory)" in err or file != below
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith(".")) == []


WRONG = (
    ({"inn": "7707083894"}, "not a valid INN"),
    ({"inn": "7736050003"}, "Nothing was known of 7736050003"),
    ({"as_of": "2026-11-19"}, "it was first requested at 2026-11-20 10:00 UTC, name a later moment with --as-of."),
    ({"as_of": "yesterday"}, "write --as-of 2026-11-01"),
    ({"as_of": "2026-12-01"}, "in the future"),
    ({"output_format": "docx"}, "choose html"),
    ({"language": "de"}, "choose ru or en"),
    ({"portfolio": "mine"}, "either one INN or a portfolio"),
    ({"level": "high"}, "name one with --portfolio"),
    ({"inn": None, "portfolio": "mine", "level": "worst"}, "choose critical, high"),
)


def test_wrong_arguments(two_companies):
    for arguments, words in WRONG:
        with pytest.raises(UsageError, match=words):
            write(two_companies, **arguments)


def test_a_day_ends_in_the_time_zone():
    assert read_moment("2026-11-19", MOSCOW, LATER).isoformat() == "2026-11-19T20:59:59"
    assert read_moment("2026-11-21", MOSCOW, LATER) == LATER
    assert read_moment("2026-11-20T12:00:00", MOSCOW, LATER).isoformat() == "2026-11-20T09:00:00"


@pytest.mark.long
def test_the_report_links_to_the_dossiers_beside_it(two_companies):
    write(two_companies)
    dossiers = find_dossiers(two_companies / "reports")
    assert dossiers == {INN}
    with Warehouse(two_companies / "warehouse.duckdb", read_only=True) as warehouse:
        page = build_report(warehouse, ReportOptions("mine", "ru", None, dossiers), MOSCOW, LATER)
        without = build_report(warehouse, ReportOptions("mine", "ru"), MOSCOW, LATER)
    assert f'<a href="dossiers/{INN}.html">Досье</a>' in page
    assert "dossiers/" not in without
    assert (two_companies / "reports" / "dossiers" / f"{INN}.html").exists()
