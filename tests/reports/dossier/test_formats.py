"""The formats of a dossier: the same bytes each time, the same data in each, and rows that are never cut silently."""

import json
import re
import subprocess
import sys
import zlib
from dataclasses import replace
from datetime import date, datetime, timedelta
from decimal import Decimal
from hashlib import sha256
from html import unescape
from io import BytesIO, StringIO

import fastexcel
import pytest
from rich.console import Console

from innspect.cli.company import print_company, read_company
from innspect.reports.dossier.document import DossierFormat, DossierOptions, encode_dossier
from innspect.reports.dossier.dossier_data import DossierData, DossierRequest, read_dossier
from innspect.reports.dossier.dossier_page import MAX_ROWS
from innspect.reports.dossier.subjects import SUBJECTS
from innspect.reports.i18n.catalog import LANGUAGES, translations
from innspect.warehouse.database import Warehouse
from tests.cli.responses import card, freezes
from tests.support.builders import BODIES, FIRST, INN, MOSCOW, Response, load_responses

PERSON = "770000000017"
CONTRACTS = 5_000
"""As many as the service lists."""
MAX_BYTES, MAX_PAGES = 3_000_000, 30
PRINT_AGAIN = """
import pickle, sys
from hashlib import sha256
from innspect.reports.dossier.document import *
data = pickle.loads(sys.stdin.buffer.read())
print(sha256(encode_dossier(data, DossierOptions(DossierFormat.PDF, "ru", "Europe/Moscow"))).hexdigest())
"""


@pytest.fixture(scope="module")
def data(tmp_path_factory, create_empty_warehouse) -> DossierData:
    """A company with a card and no frozen accounts; arbitration is not confirmed, the rest was never requested."""
    home = tmp_path_factory.mktemp("dossier")
    with Warehouse(create_empty_warehouse(home / "warehouse.duckdb")) as warehouse:
        silent = Response("arbitration", {"cases": [], "total_cases": 0, "raw": {"all_sources_dead": True}}, INN)
        load_responses(warehouse, card("active", director="Иванов <И> & сын"), freezes(0), silent)
        return read_dossier(warehouse, DossierRequest(INN, FIRST + timedelta(days=1), "0.1.0"))


@pytest.fixture(scope="module")
def heavy(data) -> DossierData:
    """The same company with as many contracts as the service lists."""
    rows = [
        {"signed_on": date(2020, 1, 1) + timedelta(days=number % 2000), "reg_num": f"{number:019}", "role": "supplier",
         "amount_rub": Decimal(CONTRACTS - number), "counterparty_name": 'ГБУ "Больница"', "subject": "Поставка " * 20,
         "confirmed": True}
        for number in range(CONTRACTS)
    ]  # fmt: skip
    history = [
        {**data.history[0], "happened_at": datetime(2026, 1, 1) + timedelta(hours=number), "text": "Событие"}
        for number in range(500)
    ] if data.history else []  # fmt: skip
    block = {**data.blocks["contracts"], "state": "partial", "reason": "list_full", "asked_at": FIRST,
             "collected_at": FIRST, "checked_at": FIRST, "complete": False}  # fmt: skip
    return replace(
        data, tables={**data.tables, "state_contracts": rows}, history=history,
        blocks={**data.blocks, "contracts": block},
    )  # fmt: skip


def encode(data: DossierData, output_format: str, language: str = "ru") -> bytes:
    return encode_dossier(data, DossierOptions(DossierFormat(output_format), language, MOSCOW))


@pytest.mark.parametrize("output_format", list(DossierFormat))
def test_each_format_is_the_same_bytes_again(data, output_format):
    assert encode(data, output_format) == encode(data, output_format)


def test_the_pdf_is_the_same_on_a_machine_without_fonts(data, tmp_path):
    import pickle

    (tmp_path / "fonts.conf").write_text("<fontconfig></fontconfig>")
    done = subprocess.run(
        [sys.executable, "-c", PRINT_AGAIN], input=pickle.dumps(data), capture_output=True, check=True,
        env={"FONTCONFIG_FILE": str(tmp_path / "fonts.conf"), "PYTHONPATH": ":".join(sys.path), "HOME": str(tmp_path)},
    )  # fmt: skip
    assert done.stdout.decode().strip() == sha256(encode(data, "pdf")).hexdigest()


def test_every_format_carries_the_hash(data):
    assert json.loads(encode(data, "json"))["sha256"] == data.sha256
    assert data.sha256 in encode(data, "html").decode()
    assert data.sha256.encode() in unpack(encode(data, "pdf"))
    sheets = fastexcel.read_excel(encode(data, "xlsx"))
    assert "Госконтракты" not in sheets.sheet_names
    summary = sheets.load_sheet(0, header_row=None).to_polars()
    assert data.sha256 in summary[summary.columns[1]].to_list()


def test_a_changed_figure_changes_the_hash(data):
    assert replace(data, profile={**data.profile, "director": "Петров"}).sha256 != data.sha256
    assert replace(data, moment=data.moment + timedelta(seconds=1)).sha256 != data.sha256


def test_data_is_escaped_and_nothing_is_fetched(data):
    page = encode(data, "html").decode()
    assert "Иванов &lt;И&gt; &amp; сын" in page
    assert "<script" not in page
    assert "default-src 'none'" in page


def test_a_heavy_company_stays_readable_and_complete(heavy):
    page = encode(heavy, "html")
    text = page.decode().replace("\N{NO-BREAK SPACE}", " ")
    contracts = text.partition('<section id="contracts">')[2].partition("</section>")[0]
    assert contracts.count("<tr><td") == MAX_ROWS
    assert f"{CONTRACTS - 1:019}" not in contracts
    assert "Ещё 4 988: таблица «Контракты» в файле XLSX, все строки — mart.state_contracts." in contracts
    assert "Строк не менее 5 000: список неполон." in contracts
    printed = encode(heavy, "pdf")
    assert len(page) < MAX_BYTES
    assert len(printed) < MAX_BYTES
    assert 1 < len(re.findall(rb"/Type /Page\b", unpack(printed))) <= MAX_PAGES
    sheets = fastexcel.read_excel(encode(heavy, "xlsx"))
    assert sheets.load_sheet("Контракты").to_polars().height == CONTRACTS


def unpack(printed: bytes) -> bytes:
    """The compressed streams of a PDF, its properties among them."""
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", printed, re.DOTALL)
    return b"".join(zlib.decompressobj().decompress(stream) for stream in streams if stream[:1] == b"x")


def test_a_date_by_our_checks_is_no_date_of_the_data(create_empty_warehouse, tmp_path):
    registered = (FIRST - timedelta(days=30)).date()
    with Warehouse(create_empty_warehouse(tmp_path / "warehouse.duckdb")) as warehouse:
        load_responses(warehouse, card("active", registration_date=str(registered), mass_address=True))
        data = read_dossier(warehouse, DossierRequest(INN, FIRST + timedelta(days=1), "0.1.0"))
    rows = fastexcel.read_excel(encode(data, "xlsx")).load_sheet("Признаки риска").to_polars()
    signal, since, is_by_checks = rows.columns[0], "С", "Дата — по нашим проверкам"
    shown = {row[signal]: (row[since].date(), row[is_by_checks]) for row in rows.iter_rows(named=True) if row[since]}
    checked = FIRST.date()
    assert shown == {"Моложе года": (registered, False), "Массовый адрес по карточке": (checked, True)}


@pytest.mark.parametrize("language", LANGUAGES)
def test_sheets_have_the_names_of_the_tables(data, language):
    t = translations(language, MOSCOW)
    names = fastexcel.read_excel(encode(data, "xlsx", language)).sheet_names
    labels = [t.label("table", table.name) for subject in SUBJECTS for table in subject.tables]
    # What is in parentheses says more, and does not fit.
    assert [label for label in labels if label.partition(" (")[0] not in names] == []


@pytest.mark.parametrize(("language", "words"), [
    ("ru", ["добровольно", "основание не указано"]), ("en", ["voluntary", "reason not given"]),
])  # fmt: skip
def test_kind_of_a_termination_is_told_in_words(create_empty_warehouse, tmp_path, language, words):
    ended = [
        {"ogrnip": f"30450011600015{number}", "registration_date": f"200{number}-06-08", "active": False,
         "termination_date": f"201{number}-01-02", "termination_kind": kind}
        for number, kind in enumerate(("voluntary", "unknown"))
    ]  # fmt: skip
    body = {"inn": PERSON, "ogrn": "315500100000011", "name": "Иванов Иван", "status": "active", "ip_records": ended}
    with Warehouse(create_empty_warehouse(tmp_path / "warehouse.duckdb")) as warehouse:
        load_responses(warehouse, Response("person-brief", body, PERSON))
        data = read_dossier(warehouse, DossierRequest(PERSON, FIRST + timedelta(days=1), "0.1.0"))
    page = encode(data, "html", language).decode()
    sections = page.partition('<section id="registration">')[2], page.partition('<section id="history">')[2]
    for section in sections:
        assert all(word in section.partition("</section>")[0] for word in words)
        assert re.findall(r">(?:unknown|voluntary)<" if language == "ru" else ">unknown<", section) == []
    t = translations(language, MOSCOW)
    events = fastexcel.read_excel(encode(data, "xlsx", language)).load_sheet(t.label("table", "register_events"))
    assert set(words) <= set(events.to_polars()[t("column.event")])


@pytest.mark.parametrize(("language", "ended", "number"), [
    ("ru", "деятельность прекращена", "ОГРНИП"), ("en", "activity terminated", "OGRNIP"),
])  # fmt: skip
@pytest.mark.long
def test_sole_proprietor_is_not_told_in_terms_of_companies(create_empty_warehouse, tmp_path, language, ended, number):
    body = {"inn": PERSON, "ogrn": "315500100000011", "name": "Иванов Иван", "status": "liquidated",
            "liquidation_date": "2020-01-02"}  # fmt: skip
    with Warehouse(create_empty_warehouse(tmp_path / "warehouse.duckdb")) as warehouse:
        load_responses(warehouse, Response("person-brief", body, PERSON), card("liquidated"))
        person, company = (
            read_dossier(warehouse, DossierRequest(inn, FIRST + timedelta(days=1), "0.1.0")) for inn in (PERSON, INN)
        )
        screen = StringIO()
        print_company(
            read_company(warehouse, PERSON, FIRST), Console(file=screen, width=200), translations(language, MOSCOW)
        )
    t = translations(language, MOSCOW)
    page, other = (encode(data, "html", language).decode() for data in (person, company))
    capital = t.label("card", "authorized_capital_rub")
    assert page.count(f">{ended}<") == 2
    assert f">{number}<" in page
    assert capital not in page
    assert capital in other
    assert ended not in other
    assert f">{number}<" not in other
    summary = fastexcel.read_excel(encode(person, "xlsx", language)).load_sheet(0, header_row=None).to_polars()
    assert number in summary.to_series(0).to_list()
    shown = screen.getvalue()
    assert number.lower() in shown.lower()
    assert capital not in shown
    assert language == "en" or ended in shown


@pytest.mark.parametrize(("language", "sources"), [
    ("ru", {"карточка", "набор данных ФНС"}), ("en", {"card", "tax service's data set"}),
])  # fmt: skip
def test_tax_debts_name_their_source(create_empty_warehouse, tmp_path, language, sources):
    debts = json.loads((BODIES / "tax_debts.full.json").read_text("utf-8"))
    by_card = [{"kbkname": "Налог на прибыль", "totalsum": 56588.27, "year": 2025}]
    with Warehouse(create_empty_warehouse(tmp_path / "warehouse.duckdb")) as warehouse:
        load_responses(warehouse, card("active", tax_debts=by_card), Response("tax-debts", debts, INN))
        data = read_dossier(warehouse, DossierRequest(INN, FIRST + timedelta(days=1), "0.1.0"))
    t = translations(language, MOSCOW)
    section = (
        unescape(encode(data, "html", language).decode())
        .partition('<section id="taxes">')[2]
        .partition("</section>")[0]
    )
    assert all(f'data-name="{t("column.source")}">{source}<' in section for source in sources)
    sheet = fastexcel.read_excel(encode(data, "xlsx", language)).load_sheet(t.label("table", "taxes")).to_polars()
    assert set(sheet[t("column.source")]) == sources
    # The figure is that of one of them.
    assert f"{t('card.tax_debt_rub')}</th><td>1" in section
    assert t("source.tax_service").partition(" ")[2] in t("card.tax_debt_rub")


@pytest.mark.parametrize(("language", "words"), [
    ("ru", "в наборе данных ФНС записи нет"), ("en", "no record in the tax service's data set"),
])  # fmt: skip
def test_a_company_that_a_data_set_lacks_has_no_checked_amount(create_empty_warehouse, tmp_path, language, words):
    absent = (Response(block, json.loads((BODIES / f"{name}.empty.json").read_text("utf-8")), INN)
              for block, name in (("revexp", "revexp"), ("tax-debts", "tax_debts")))  # fmt: skip
    with Warehouse(create_empty_warehouse(tmp_path / "warehouse.duckdb")) as warehouse:
        load_responses(warehouse, card("active"), *absent, freezes(0))
        data = read_dossier(warehouse, DossierRequest(INN, FIRST + timedelta(days=1), "0.1.0"))
    t, page = translations(language, MOSCOW), unescape(encode(data, "html", language).decode())
    assert f">{t('card.expense_rub')}</th><td>{words}</td>" in page
    # A debt that is not there is none.
    assert f">{t('card.tax_debt_rub')}</th><td>0</td>" in page
    assert t.label("state", "clean") in page


@pytest.mark.parametrize("language", LANGUAGES)
def test_instants_of_the_sheets_are_in_the_zone_of_the_document(data, language):
    t, late = translations(language, MOSCOW), datetime(2026, 11, 27, 21, 56)
    blocks = {**data.blocks, "company": {**data.blocks["company"], "collected_at": late}}
    proof = [{**row, "collected_at": late} for row in data.evidence]
    history = [
        {**data.history[0], "kind": "level", "happened_at": late},
        {**data.history[0], "kind": "event", "happened_at": datetime(2026, 11, 20), "source": "registration"},
    ]
    changed = replace(data, blocks=blocks, evidence=proof, history=history)
    book = fastexcel.read_excel(encode(changed, "xlsx", language))
    there = datetime(2026, 11, 28, 0, 56)
    states = book.load_sheet(t("blocks")).to_polars()
    shown = states.filter(states[t("block")] == t.label("block", "company"))
    assert shown[t("collected_at")].to_list() == [there]
    used = book.load_sheet(t("dossier.evidence")).to_polars()
    assert set(used[t("collected_at")].to_list()) == {there}
    assert set(used[t("column.used_blocks")].to_list()) == {
        ", ".join(t.label("block", block) for block in row["used_blocks"]) for row in proof
    }
    moments = book.load_sheet(t("timeline")).to_polars()[t("column.date")].to_list()
    assert moments == [there, datetime(2026, 11, 20)]
    assert t("dossier.zone", zone=MOSCOW) in book.load_sheet(0, header_row=None).to_polars().to_series(0).to_list()
    assert t.date(late) in encode(changed, "html", language).decode()


def test_text_is_never_a_formula(data):
    changed = replace(data, profile={**data.profile, "director": "=1+1"})
    sheet = fastexcel.read_excel(BytesIO(encode(changed, "xlsx")).getvalue()).load_sheet(0, header_row=None).to_polars()
    assert "=1+1" in sheet[sheet.columns[1]].to_list()


@pytest.mark.parametrize(("language", "unknown", "never", "clean"), [
    ("ru", "Не подтверждено (не сработал ни один источник)", "Никогда не запрашивалось", "проверено, ничего нет"),
    ("en", "Not confirmed (", "Never requested", "checked"),
])  # fmt: skip
def test_an_answer_silence_and_no_request_are_worded_differently(data, language, unknown, never, clean):
    page = encode(data, "html", language).decode()

    def section(name: str) -> str:
        return page.partition(f'<section id="{name}">')[2].partition("</section>")[0]

    assert unknown in section("courts")
    assert never in section("enforcement")
    assert clean in section("freezes")
    for name in ("courts", "enforcement", "contracts"):
        assert "источник ответил, записей нет" not in section(name)
        assert "answered that there are none" not in section(name)
