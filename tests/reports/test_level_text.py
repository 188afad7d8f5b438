"""A level is shown with what is not known: in words, on the screen, in the report."""

from datetime import date, datetime, timedelta
from io import StringIO

import pytest
from rich.console import Console

from innspect.cli.company import print_company, read_company
from innspect.reports.i18n.catalog import LANGUAGES, translations
from innspect.reports.level_text import doubt_text, level_remark, level_text, stale_text, unknown_text
from innspect.reports.portfolio_report.build import ReportOptions, build_report
from innspect.schemas.states import Level
from tests.marts.bodies import START, add_members, all_blocks, full_check_response, load
from tests.support.builders import INN

EN, RU = (translations(language, "Europe/Moscow") for language in ("en", "ru"))
DAY = datetime(2026, 11, 1, 12)


def score(level, known, at_most, stale=(), never=(), part="all", **unknown):
    return {
        "never_requested_blocks": list(never),
        "stale_blocks": list(stale),
        "level": level,
        "level_known": known,
        "level_at_most": at_most,
        "known_part": part,
        "unknown_blocks": list(unknown),
        "unknown_since": list(unknown.values()),
    }


@pytest.mark.parametrize(
    ("row", "english", "russian"),
    [
        (score("low", "low", "low"), "low", "низкий"),
        (score("low", "low", "high"), "low; possibly high", "низкий; возможен высокий"),
        (
            score("unknown", "low", "critical", freezes=DAY),
            "unknown; {freezes} not confirmed since 2026-11-01; everything else: low",
            "не определён; {freezes}: не подтверждено с 01.11.2026; остальное: низкий",
        ),
        (
            score("high", "high", "critical", sanctions=None, freezes=DAY),
            "high; {sanctions} not confirmed; {freezes} not confirmed since 2026-11-01; possibly critical",
            "высокий; {sanctions}: не подтверждено; {freezes}: не подтверждено с 01.11.2026; возможен критический",
        ),
        (
            score("unknown", "medium", "critical", stale=("freezes", "fssp"), freezes=DAY, sanctions=DAY),
            (
                "unknown; {freezes}: stale, collected on 2026-11-01; {sanctions} not confirmed since 2026-11-01; "
                "everything else: medium"
            ),
            (
                "не определён; {freezes}: устарело, собрано 01.11.2026; {sanctions}: не подтверждено с 01.11.2026; "
                "остальное: средний"
            ),
        ),
        (
            score("unknown", "low", "high", stale=("freezes",), freezes=None),
            "unknown; {freezes}: stale, collected on an unknown date; everything else: low",
            "не определён; {freezes}: устарело, дата сбора неизвестна; остальное: низкий",
        ),
        (
            score("high", "high", "high", freezes=DAY, sanctions=DAY + timedelta(hours=1)),
            "high; {freezes}, {sanctions} not confirmed since 2026-11-01",
            "высокий; {freezes}, {sanctions}: не подтверждено с 01.11.2026",
        ),
        (
            score("unknown", "low", "critical", part="some", freezes=DAY),
            "unknown; {freezes} not confirmed since 2026-11-01; of the blocks that answered: low",
            "не определён; {freezes}: не подтверждено с 01.11.2026; по остальным ответившим разделам: низкий",
        ),
        (
            score("unknown", "low", "critical", part="none", freezes=None, sanctions=None),
            "unknown; {freezes}, {sanctions} not confirmed",
            "не определён; {freezes}, {sanctions}: не подтверждено",
        ),
        (
            score("unknown", "low", "critical", never=("sanctions",), freezes=None, sanctions=None),
            "unknown; {freezes} not confirmed; {sanctions}: never requested; everything else: low",
            "не определён; {freezes}: не подтверждено; {sanctions}: не запрашивалось; остальное: низкий",
        ),
        (score(None, None, None, part=None), "unknown", "не определён"),
    ],
)
def test_a_level_in_words(row, english, russian):
    for t, expected in ((EN, english), (RU, russian)):
        blocks = {block: t.label("block", block) for block in ("freezes", "sanctions")}
        assert level_text(row, t) == expected.format(**blocks)
        assert level_text(row, t).removeprefix(t.label("level", row["level"] or "unknown")) in (
            "",
            f"; {level_remark(row, t)}",
        )


def test_a_member_without_a_score_has_nothing_unknown():
    columns = ("unknown_blocks", "unknown_since", "never_requested_blocks", "stale_blocks")
    assert unknown_text(dict.fromkeys(columns), EN) == ""


def test_stale_evidence_in_words():
    row = {"collected_at": DAY, "source_date": None}
    assert (stale_text(row, EN), stale_text(row, RU)) == (
        "stale: collected on 2026-11-01",
        "устарело: собрано 01.11.2026",
    )
    row["source_date"] = date(2025, 7, 1)
    assert stale_text(row, RU) == "устарело: собрано 01.11.2026, данные на 01.07.2025"
    assert stale_text({"collected_at": None, "source_date": None}, EN) == "stale: collected on an unknown date"


def test_a_signal_that_is_not_confirmed_in_words():
    row = {"collected_at": DAY, "source_date": None, "reason": "stale"}
    assert doubt_text({**row, "confirmed": True, "reason": None}, EN) == ""
    assert doubt_text({**row, "confirmed": False}, EN) == "stale: collected on 2026-11-01"
    assert doubt_text({**row, "confirmed": False, "reason": "missing: absent"}, EN) == EN("not_confirmed_since")


@pytest.mark.parametrize("t", [EN, RU], ids=["en", "ru"])
def test_nothing_is_said_of_a_member_of_whom_nothing_was_answered(warehouse, t):
    add_members(warehouse, INN)
    load(warehouse, full_check_response(INN, {}))
    data = read_company(warehouse, INN, START)
    screen = StringIO()
    print_company(data, Console(file=screen, width=500), t)
    shown = screen.getvalue()
    assert level_text(data.profile, t) in shown
    for key in ("unknown.rest", "unknown.answered"):
        assert t(key, level=t.label("level", "low")) not in shown
    assert t("dossier.reasons.none_unknown") in shown
    assert t("command.signals.none") not in shown


@pytest.mark.long
def test_screen_and_report_say_what_is_unknown(warehouse):
    later = START + timedelta(days=1)
    silent = {"available": False, "found": False, "count": 0, "items": []}
    content = all_blocks(freezes=silent, company={"authorized_capital": 10000})
    load(warehouse, full_check_response(INN, all_blocks()), full_check_response(INN, content, at=later))
    add_members(warehouse, INN)
    row = warehouse.query("FROM mart.risk_score").row(0, named=True)
    assert (row["level"], row["unknown_blocks"]) == (Level.UNKNOWN, ["freezes"])
    assert row["score"]
    assert row["unknown_since"] == [warehouse.query("SELECT collected_at FROM current.freezes").item()]
    screen = StringIO()
    print_company(read_company(warehouse, INN, later), Console(file=screen, width=200))
    assert f"Risk: {level_text(row, translations('en', 'UTC'))}." in screen.getvalue()
    for language in LANGUAGES:
        page = build_report(warehouse, ReportOptions("p", language), "Europe/Moscow", later)
        t = translations(language, "Europe/Moscow")
        # The headline counts it as unknown, and in no other level.
        counts = warehouse.query("SELECT level, count(*) AS n FROM mart.risk_score GROUP BY level").rows()
        assert counts == [(Level.UNKNOWN, 1)]
        assert 'data-column="unknown" value="1"' in page
        assert level_remark(row, t) in page
