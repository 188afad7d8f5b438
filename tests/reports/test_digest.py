"""The digest: what moved, what is not known, what it cost; a silent source never makes it calm."""

import html
import re
from dataclasses import replace
from datetime import date, timedelta
from decimal import Decimal

import pytest

from innspect.reports.digest.digest_data import AccountView, Scope, read_digest
from innspect.reports.digest.digest_text import describe_digest
from innspect.reports.digest.message_page import Enclosure, finish_page, render_html, render_text
from innspect.reports.digest.money_text import money_lines
from innspect.reports.digest.notice_text import (
    FailedRun,
    describe_alerts,
    describe_failure,
    describe_low_balance,
    describe_test,
)
from innspect.reports.i18n.catalog import LANGUAGES, translations
from innspect.sandbox.world.inn_samples import sample_inns
from innspect.schemas.errors import Exit
from innspect.warehouse.assessments.assess_runs import assess_runs
from innspect.warehouse.database import Warehouse
from tests.marts.bodies import KEYS, START, add_members, all_blocks, full_check_response, load
from tests.support.builders import MOSCOW

WORSE, BETTER, SILENT, AGAIN, HIDDEN, CALM, NEW = sample_inns(7, 61)
ONE, TWO = START - timedelta(days=1), START
AFTER = TWO + timedelta(hours=2)
BETWEEN = ONE + timedelta(hours=2)
BAD = all_blocks(company={"illegal_finance": True, "invalid_data": True})
NO_BANKRUPTCY = {key: value for key, value in all_blocks().items() if key != KEYS["bankruptcy"]}
NO_CARD = {key: value for key, value in BAD.items() if key != KEYS["company"]}
FIRST = {**dict.fromkeys((WORSE, SILENT, CALM), all_blocks()), BETTER: BAD, HIDDEN: BAD, AGAIN: NO_BANKRUPTCY}
LAST = {BETTER: all_blocks(), WORSE: BAD, AGAIN: BAD, SILENT: NO_BANKRUPTCY, HIDDEN: NO_CARD, NEW: BAD}
ACCOUNT = AccountView(
    Decimal(30000), Decimal("12345.67"), AFTER, Decimal("514.40"), 24, date(2026, 12, 17), None, 58
)  # fmt: skip
SPACES = str.maketrans("\N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}", "  ")


def check(warehouse, name, day, contents, code=0):
    """A run of the portfolio that loads these contents by INN."""
    answers = [
        replace(
            full_check_response(inn, content, at=day + timedelta(seconds=number), name=f"{name}-{inn}"), run_id=name
        )
        for number, (inn, content) in enumerate(contents.items())
    ]
    if answers:
        load(warehouse, *answers)
    warehouse.run_in_transaction(lambda: assess_runs(warehouse))
    warehouse.connection.execute(
        "INSERT INTO lineage.runs VALUES (?, ?, ?, 'p', 'full', 500, 18, 2.5, ?, 'test')",
        [name, day, day + timedelta(hours=1), code],
    )


def make_warehouse(path, *runs):
    with Warehouse(path) as warehouse:
        add_members(warehouse, *FIRST, NEW)
        for name, day, contents in runs:
            check(warehouse, name, day, contents)
    return path


@pytest.fixture(scope="module")
def checked(tmp_path_factory, create_empty_warehouse):
    path = create_empty_warehouse(tmp_path_factory.mktemp("digest") / "warehouse.duckdb")
    make_warehouse(path, ("one", ONE, FIRST), ("two", TWO, LAST))
    with Warehouse(path, read_only=True) as warehouse:
        yield warehouse


@pytest.fixture(params=LANGUAGES)
def t(request):
    return translations(request.param, MOSCOW)


RU = translations("ru", MOSCOW)


def digest(warehouse, t=RU, since=BETWEEN, scope=Scope("p"), account=ACCOUNT):
    """The text of a digest, and the same words in its HTML."""
    page = finish_page(
        describe_digest(read_digest(warehouse, scope, since, AFTER, account), t), Enclosure(), "boss", AFTER, t
    )
    text = render_text(page, t).translate(SPACES)
    return page, text


def plain(page, t):
    """The words of the HTML part."""
    body = re.sub(r"<style.*?</style>|<head>.*?</head>", "", render_html(page, t), flags=re.DOTALL)
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]+>", " ", body)).translate(SPACES))


def test_digest_names_what_moved_and_what_is_not_known(checked):
    page, text = digest(checked)
    assert page.subject.startswith("Стало хуже у 1") or "риск теперь" in page.subject
    by_title = {part.title: {entry.inn: entry for entry in part.entries} for part in page.parts}
    print(text)
    import os
    if folder := os.environ.get("DIGEST"):
        open(folder + "/digest.html", "w").write(render_html(page, RU))
    assert by_title.keys() >= {"Стало хуже"}
