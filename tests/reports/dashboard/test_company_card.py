"""The pages without a browser: what they say of one company, in words that a manager reads, and what they save."""

import re
import sys
from base64 import b64decode
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html import unescape
from io import BytesIO
from pathlib import Path

import fastexcel
import polars as pl
import pytest

pytest.importorskip("streamlit", reason="the dashboard's extra is not installed: make dashboard")

import streamlit
from streamlit.testing.v1 import AppTest

from innspect.reports.dashboard.company_page import TABS
from innspect.reports.dashboard.page_style import WORD_PREFIX, language_script
from innspect.reports.dashboard.register_links import register_links
from innspect.reports.dashboard.table_output import table_workbook
from innspect.reports.i18n import en
from innspect.reports.i18n.catalog import translations
from innspect.warehouse.database import Warehouse
from innspect.warehouse.publish.copy_builder import CopyInfo, build_copy
from innspect.warehouse.publish.exclude import Exclusion
from tests.cli.responses import card, freezes
from tests.support.builders import BODIES, FIRST, INN, MOSCOW, PERSON, Response, block_response, load_responses

RU, EN = translations("ru", MOSCOW), translations("en", MOSCOW)
OWN_NAME, MANAGER = "Наш поставщик", "Иванова <И>"
STATEMENTS = {
    "has_data": True,
    "years": [2025, 2023, 2022],
    "revenue": {"2025": 2_500_000, "2022": 1_000_000},
    "net_profit": {"2025": -300_000, "2023": 0},
}
SILENCE = {"cases": [], "total_cases": 0, "raw": {"all_sources_dead": True}}
CODE = re.compile(r"\b(?:mart|core|lineage|current)\.\w+|\b[a-z]+_[a-z_]+\b")
"""A name of the warehouse."""


@pytest.fixture(scope="module")
def copy(tmp_path_factory, create_empty_warehouse) -> Path:
    """A copy with a company: card, statements and proceedings found, no frozen accounts, arbitration silent."""
    home = tmp_path_factory.mktemp("card")
    shares = [{"name": "Учредитель Пётр", "inn": PERSON, "share_pct": 60.5, "share_rub": 6050}]
    with Warehouse(create_empty_warehouse(home / "warehouse.duckdb")) as warehouse:
        answers = (
            card("active", kpp="770701001", director="Директоров Иван", founder_shares=shares, okved_main="46.73"),
            Response("financial", STATEMENTS, INN),
            block_response("fssp", (BODIES / "fssp.full.json").read_bytes()),
            freezes(0),
            Response("arbitration", SILENCE, INN),
        )
        # Older answers would be shown as stale.
        yesterday = datetime.now(UTC).replace(tzinfo=None) - timedelta(days=1)
        load_responses(warehouse, *(replace(answer, asked_at=yesterday) for answer in answers))
        warehouse.connection.execute(
            "INSERT INTO lineage.portfolio_members (portfolio, inn, name, tags, last_seen_at, extra) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            ["Закупки", INN, OWN_NAME, "ключевой", FIRST, f'{{"Менеджер": "{MANAGER}", "Лимит": "10000"}}'],
        )
        build_copy(warehouse, home / "copy.duckdb", Exclusion(), CopyInfo(FIRST + timedelta(days=1), "1.0"))
    return home / "copy.duckdb"


def _draw(copy, page, language):
    """The script of one page."""
    from importlib import import_module
    from pathlib import Path

    from innspect.reports.dashboard import filters
    from innspect.reports.dashboard.page_context import PageContext
    from innspect.reports.i18n.catalog import translations
    from innspect.warehouse.publish.reader import PublishedCopy

    with PublishedCopy(Path(copy)) as opened:
        selected, _ = filters.select_inns(opened, filters.Selection())
        context = PageContext(opened, translations(language, "Europe/Moscow"), None, (), "", selected)
        import_module(f"innspect.reports.dashboard.{page}").show(context)
        context.show_queries()


def draw(copy: Path, page: str, language: str = "ru", **parameters: str) -> AppTest:
    script = AppTest.from_function(_draw, kwargs={"copy": str(copy), "page": page, "language": language})
    for name, value in parameters.items():
        script.query_params[name] = value
    script.run(timeout=60)
    assert not script.exception
    return script


def html(script: AppTest) -> str:
    return "".join(element.proto.body for element in script.get("html"))


def words(markup: str) -> str:
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", markup))).replace("\u00a0", " ")


@pytest.fixture(scope="module")
def shown(copy) -> str:
    return html(draw(copy, "company_page", inn=INN))


def cell(shown: str, label: str) -> str:
    return words(re.search(rf'<span class="sub">{re.escape(label)}</span>(.*?)</div>', shown)[1]).strip()


def section(shown: str, title: str) -> str:
    return re.search(rf'<section class="part"><h4>{re.escape(title)}.*?</section>', shown, re.DOTALL)[0]


def test_card_says_who_it_is_and_what_the_user_calls_it(shown):
    assert cell(shown, "ОГРН") == "1027700132195"
    assert cell(shown, "КПП") == "770701001"
    assert cell(shown, "Руководитель") == "Директоров Иван"
    assert cell(shown, "Код и основной вид деятельности") == "46.73"
    assert cell(shown, "Адрес") == "в ответе не указано"
    assert "Дата прекращения" not in shown
    assert cell(shown, "Ваше название") == OWN_NAME
    assert cell(shown, "Менеджер") == MANAGER
    assert "<И>" not in shown
    people = words(section(shown, "Лица"))
    assert f"учредитель Учредитель Пётр {PERSON} — 60,50 6 050" in people


def test_an_answer_silence_and_no_request_differ(shown):
    assert cell(shown, "Решений о приостановлении операций по счетам") == "0"
    assert cell(shown, "Арбитражных дел") == "? не подтверждено источник не ответил"
    assert cell(shown, "Госконтрактов") == "∅ не запрашивалось"
    assert "Никогда не запрашивалось. Есть ли записи, неизвестно." in words(section(shown, "Контракты"))
    assert "Арбитраж: Не подтверждено (не сработал ни один источник)" in words(section(shown, "Судебные дела"))
    assert "Приставы: есть сведения" in words(section(shown, "Производства ФССП"))


def test_a_date_by_our_checks_is_no_date_of_the_data(copy):
    script = draw(copy, "company_page", inn=INN)
    script.session_state["tabs"] = RU("signals")
    rows = html(script.run(timeout=60)).split("<tr>")

    def since(title: str) -> str:
        row = next(row for row in rows if title in row)
        return words(re.search('data-label="С">(.*?)</td>', row)[1])

    assert re.fullmatch(r"[\d.]{10} \(по нашим проверкам\)", since("Взыскание окончено: нет имущества"))
    assert since("Действующие исполнительные производства") == "12.01.2026"


def test_a_year_that_is_not_known_is_a_gap_and_no_zero(shown):
    years = section(shown, "Выручка и чистая прибыль по годам")
    assert "Выручка, ₽ — 2023, 2024; Чистая прибыль, ₽ — 2022, 2024" in words(years)
    drawing = b64decode(re.search(r"data:image/svg\+xml;base64,([\w+/=]+)", years)[1]).decode()
    assert drawing.startswith("<svg xmlns=")
    bars = re.findall(r"<title>(.*?)</title>", drawing.replace("\u00a0", " "))
    assert bars == [
        "Выручка, ₽, 2022: 1 млн ₽",
        "Чистая прибыль, ₽, 2023: 0 ₽",
        "Выручка, ₽, 2025: 2,5 млн ₽",
        "Чистая прибыль, ₽, 2025: -300 тыс. ₽",
    ]
    assert "2023 — 0" in words(years)


def test_registers_are_searched_by_inn_or_say_that_they_cannot_be(shown):
    listed = section(shown, "Проверить в открытых реестрах")
    for link in register_links(INN):
        assert (INN in link.address) == (link.note == "registers.by_inn")
        assert unescape(listed).count(f'href="{link.address}"') == 1
    assert listed.count('rel="noopener noreferrer"') == 5
    assert [link.note for link in register_links(PERSON)].count("registers.person_search") == 1


@pytest.mark.parametrize("page", ["company_page", "portfolio_page", "changes_page", "coverage_page"])
def test_pages_speak_no_code_outside_the_queries(copy, page):
    script = draw(copy, page, **({"inn": INN} if page == "company_page" else {}))
    texts = [words(html(script))]
    texts += [str(getattr(element, "value", "")) for kind in ("caption", "markdown", "subheader", "title", "info")
              for element in script.get(kind)]  # fmt: skip
    texts += [
        element.label for kind in ("metric", "button", "multiselect", "selectbox") for element in script.get(kind)
    ]
    assert [found for text in texts for found in CODE.findall(text)] == []
    assert len(script.get("code")) == 1
    for grid in script.dataframe:
        shown = re.findall(r'"label": "([^"]+)"', grid.proto.columns)
        assert [label for label in shown if CODE.search(label)] == []
    assert "help" not in "".join(grid.proto.columns for grid in script.dataframe)


def test_no_tab_of_a_company_speaks_code(copy):
    script = draw(copy, "company_page", inn=INN)
    seen: set[str] = set()
    for tab in TABS:
        script.session_state["tabs"] = RU(tab)
        script.run(timeout=60)
        assert not script.exception
        shown = words(html(script)) + " ".join(str(element.value) for element in (*script.subheader, *script.caption))
        # The number of a response is what `innspect evidence` takes.
        assert CODE.findall(shown.replace("Ответ (response_id)", "")) == [], tab
        seen.add(shown)
    assert len(seen) == len(TABS)


@pytest.mark.long
def test_search_finds_the_inn_the_names_and_own_columns(copy):
    company, portfolio = draw(copy, "company_page"), draw(copy, "portfolio_page")
    for text, found in ((INN[:9], [INN]), ("наш ПОСТ", [INN]), ("иванова", [INN]), ("ключ", [INN]), ("никто", [])):
        company.text_input(key="inn").set_value(text).run(timeout=60)
        assert [inn for grid in company.dataframe for inn in grid.value["inn"]] == found
        portfolio.text_input(key="search").set_value(text).run(timeout=60)
        risks = next(grid.value for grid in portfolio.dataframe if "own_name" in grid.value)
        assert list(risks["inn"]) == found
        # A phone and paper show the same rows.
        assert words(html(portfolio)).count(OWN_NAME) == len(found)


def test_workbook_has_the_words_and_types_that_people_see():
    rows = pl.DataFrame({"level": ["▲ высокий", "=1+1"], "day": [FIRST, None], "sum": [1.5, float("inf")]})
    book = table_workbook("Портфель: все [1]", ["Риск", "День", "Сумма, ₽"], rows, RU)
    read = fastexcel.read_excel(BytesIO(book).getvalue())
    assert read.sheet_names == ["Портфель все 1"]
    sheet = read.load_sheet(0).to_polars()
    assert sheet.columns == ["Риск", "День", "Сумма, ₽"]
    assert sheet["Риск"].to_list() == ["▲ высокий", "=1+1"]
    assert sheet["День"].to_list() == [FIRST, None]
    assert [str(value) for value in sheet["Сумма, ₽"]] == ["1.5", "inf"]


def test_the_document_has_the_language_of_the_reader(copy, monkeypatch):
    app = Path(sys.modules["innspect.reports.dashboard"].__file__).with_name("app.py")
    monkeypatch.setattr(sys, "argv", ["app.py", str(copy), "--language", "ru", "--timezone", MOSCOW])
    script = AppTest.from_file(str(app)).run(timeout=60)
    assert not script.exception
    assert 'documentElement.lang = "ru"' in html(script)
    script.session_state["lang"] = "en"
    script.run(timeout=60)
    assert 'documentElement.lang = "en"' in html(script)


def test_words_of_streamlit_are_the_ones_that_it_shows():
    """A word that Streamlit changes would stay English without notice."""
    folder = Path(streamlit.__file__).with_name("static") / "static" / "js"
    scripts = "".join(path.read_text("utf-8") for path in folder.glob("*.js"))
    texts = {key: text for key, text in en.TEXTS.items() if key.startswith(WORD_PREFIX)}
    assert [text for text in texts.values() if f"`{text}`" not in scripts] == []
    assert all(f'"{text}": "{RU(key)}"' in language_script(RU) for key, text in texts.items())
    assert "const words = {};" in language_script(EN)
