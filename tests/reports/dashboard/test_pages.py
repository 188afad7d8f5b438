"""A user goes through the dashboard in a browser: every number is the one that SQL gives."""

import re
from collections.abc import Callable
from html import unescape

import fastexcel
import pytest

from tests.reports.dashboard.conftest import (
    LATER,
    LIQUIDATED,
    NEW_DIRECTOR,
    SANCTIONED,
    SILENT,
    Site,
    check,
)

TRIES = 80
BUSY = "[data-testid=stStatusWidget], [data-testid=stAppRunningIcon], [data-stale=true]"


def settle(site: Site) -> None:
    """Wait until the page stands still."""
    site.page.wait_for_timeout(400)
    site.page.wait_for_function(f"!document.querySelector('{BUSY}')")
    assert site.page.locator("[data-testid=stException]").count() == 0, text(site)


def eventually(site: Site, holds: Callable[[], bool], what: str) -> None:
    """A page is drawn piece by piece: wait until it shows what it is to show; on a busy machine that takes a while."""
    for _ in range(TRIES):
        if holds():
            return
        site.page.wait_for_timeout(500)
    pytest.fail(f"the page does not show {what}: {text(site)}")


def text(site: Site) -> str:
    return site.page.locator("[data-testid=stMain]").inner_text().replace("\u00a0", " ")


def go(site: Site, label: str) -> None:
    site.page.get_by_test_id("stSidebarNavLink").filter(has_text=label).click()
    site.page.get_by_role("heading", name=label, level=1).wait_for()
    settle(site)


def at(site: Site, address: str) -> None:
    site.page.goto(site.url + address)
    site.page.locator("[data-testid=stMain] h1").wait_for()
    settle(site)


def figure(site: Site, label: str) -> str:
    """The number under a label."""
    metric = site.page.get_by_test_id("stMetric").filter(has=site.page.get_by_text(label, exact=True))
    return metric.get_by_test_id("stMetricValue").inner_text().replace("\u00a0", " ")


def shows(site: Site, label: str, value: str) -> None:
    """The number under a label becomes this one."""
    eventually(site, lambda: figure(site, label) == value, f"{value} for {label}")


def lists(site: Site, key: str, value: str) -> None:
    """A table comes to have a cell with this text."""
    eventually(site, lambda: value in cells(site, key), f"{value} in {key}")


def cells(site: Site, key: str) -> list[str]:
    """The cells of a table that can be seen."""
    grid = site.page.locator(f".st-key-{key} canvas").first
    grid.scroll_into_view_if_needed()
    grid.locator("td").first.wait_for(state="attached")
    return [cell.strip() for cell in grid.locator("td").all_inner_texts()]


def pick(site: Site, label: str, value: str) -> None:
    """Pick a value in the sidebar."""
    box = site.page.get_by_test_id("stSidebar").get_by_role(
        "combobox", name=re.compile(re.escape(label).replace("/", ".+"))
    )
    box.click()
    site.page.get_by_role("option", name=value, exact=True).click()
    site.page.keyboard.press("Escape")
    settle(site)


def title(site: Site, signal: str, column: str) -> str:
    return site.query(f"SELECT any_value({column}) FROM mart.risk_signals WHERE signal = '{signal}'")


def tab(site: Site, label: str) -> None:
    site.page.get_by_role("tab", name=label).click()
    settle(site)


@pytest.mark.long(first=True)
def test_a_user_goes_through_the_pages(site, start_sandbox):
    portfolio_and_filter(site)
    one_company(site)
    what_is_not_known(site)
    money(site)
    sql(site)
    a_run_and_a_new_copy(site, start_sandbox("--faults", site.faults, "--day", LATER))
    assert site.outside == [], "the pages asked for something outside"


def portfolio_and_filter(site: Site) -> None:
    at(site, "/")
    assert site.page.evaluate("document.documentElement.lang") == "ru"
    assert str(site.query("SELECT count(*) FROM mart.company_profile")) == "6"
    shows(site, "ИНН, всего", "6")
    grave = "SELECT count(*) FROM mart.risk_score WHERE level IN ('high', 'critical')"
    shows(site, "Высокий и критический риск", str(site.query(grave)))
    pick(site, "manager", "Ivanova")
    shows(site, "ИНН, всего", "2")
    eventually(site, lambda: not {LIQUIDATED, SILENT} & set(cells(site, "risks")), "a table without the others")
    assert {SANCTIONED, NEW_DIRECTOR} <= set(cells(site, "risks"))
    pick(site, "region/area", "south")
    shows(site, "ИНН, всего", "1")
    eventually(site, lambda: SANCTIONED not in cells(site, "risks"), "a table of one company")
    # The filter is the same on the other pages, and in the address.
    go(site, "Чего мы не знаем")
    blocks = site.query(f"SELECT count(*) FROM mart.coverage WHERE inn = '{NEW_DIRECTOR}'")
    assert f"/ {blocks}" in figure(site, "Подтверждено последним ответом")
    assert "own.manager=Ivanova" in site.page.url
    go(site, "Портфель")
    canvas = site.page.locator(".st-key-risks canvas").first
    canvas.scroll_into_view_if_needed()
    place = canvas.bounding_box()
    site.page.mouse.click(place["x"] + 300, place["y"] + 52)
    site.page.get_by_role("heading", name="Компания", level=1).wait_for()
    settle(site)
    assert f"inn={NEW_DIRECTOR}" in site.page.url
    assert "own.manager=Ivanova" in site.page.url
    assert NEW_DIRECTOR in text(site)
    # The address alone opens the company again.
    site.page.reload()
    eventually(site, lambda: f"ИНН {NEW_DIRECTOR}" in text(site), "the company after a reload")
    downloads(site)


def saved(site: Site, button: str) -> bytes:
    """The bytes that a button saves."""
    with site.page.expect_download() as download:
        site.page.get_by_role("button", name=button).first.click()
    return download.value.path().read_bytes()


def downloads(site: Site) -> None:
    """The dossier and the table of the portfolio arrive as whole files, with the words of the page."""
    name = site.query(f"SELECT name FROM mart.company_profile WHERE inn = '{NEW_DIRECTOR}'")
    site.page.get_by_role("button", name="Составить досье").click()
    site.page.get_by_role("button", name="Досье (PDF)").wait_for()
    printed = saved(site, "Досье (PDF)")
    assert printed.startswith(b"%PDF-")
    assert printed.rstrip().endswith(b"%%EOF")
    page = saved(site, "Досье (HTML)").decode()
    assert name in unescape(page)
    book = fastexcel.read_excel(saved(site, "Досье (XLSX)"))
    summary = dict(book.load_sheet(0, header_row=None).to_polars().select("__UNNAMED__0", "__UNNAMED__1").iter_rows())
    assert summary["Наименование"] == name
    assert summary["ИНН"] == NEW_DIRECTOR
    assert summary["SHA-256 данных, по которым составлен документ"].encode() in printed + page.encode()
    at(site, "/")
    settle(site)
    lists(site, "risks", SANCTIONED)
    with site.page.expect_download() as download:
        site.page.locator(".st-key-save_risks").get_by_role("button", name="Скачать XLSX").click()
    assert download.value.suggested_filename == "risks.xlsx"
    sheet = fastexcel.read_excel(download.value.path().read_bytes()).load_sheet("Портфель").to_polars()
    assert sheet.columns[:3] == ["Риск", "Наименование", "ИНН"]
    assert {"manager", "region/area"} <= set(sheet.columns)
    assert sheet.height == site.query("SELECT count(*) FROM mart.company_profile")
    assert set(sheet["ИНН"]) > {SANCTIONED, SILENT}


def one_company(site: Site) -> None:
    at(site, f"/company?inn={SILENT}")
    director = site.query(f"SELECT director FROM mart.company_profile WHERE inn = '{SILENT}'")
    assert director in text(site)
    # A source that was silent shows no zero.
    assert site.query(f"SELECT freezes IS NULL FROM mart.company_profile WHERE inn = '{SILENT}'")
    card = site.page.locator(".cells > div")
    frozen = card.filter(
        has=site.page.get_by_text("Решений о приостановлении операций по счетам", exact=True)
    ).inner_text()
    assert "не подтверждено" in frozen
    assert "0" not in frozen
    label = "Совпадений в санкционных списках"
    hits = card.filter(has=site.page.get_by_text(label, exact=True)).inner_text()
    number = site.query(f"SELECT sanction_hits FROM mart.company_profile WHERE inn = '{SILENT}'")
    # The service answers from its store with old data: the figure is shown with the day of its collection.
    assert site.query(f"SELECT any_value(stale) FROM mart.coverage WHERE inn = '{SILENT}' AND block = 'sanctions'")
    assert re.fullmatch(rf"{number}\s*\(устарело: собрано \d\d\.\d\d\.\d{{4}}\)", hits.partition(label)[2].strip())
    tab(site, "Признаки риска")
    row = site.page.locator(".details tr").filter(has_text=title(site, "account_freeze", "title_ru")).first
    assert row.locator(".badge.undetermined").inner_text().endswith("неизвестно")
    tab(site, "Люди и связи")
    picture = site.page.locator("img.link-graph")
    picture.wait_for()
    assert picture.evaluate("image => image.naturalWidth") == 700
    tab(site, "История")
    assert "Изменений нет." in text(site)
    registers_and_courts(site)
    evidence(site)


def registers_and_courts(site: Site) -> None:
    """Each mart is a folded table with its number of rows; where there is none, the page says what that means."""
    tab(site, "Реестры и суды")
    count = site.query(f"SELECT count(*) FROM mart.people WHERE inn = '{SILENT}'")
    site.page.get_by_text(f"Лица: {count}", exact=True).click()
    folded = site.page.get_by_test_id("stExpander").filter(has_text="Лица")
    folded.locator("canvas td").first.wait_for(state="attached")
    shown = [cell.strip() for cell in folded.locator("canvas td").all_inner_texts()]
    owner = (
        f"SELECT {{}} FROM mart.people WHERE inn = '{SILENT}' AND share_pct IS NOT NULL ORDER BY share_pct DESC LIMIT 1"
    )
    assert site.query(owner.format("person_name")) in shown
    assert f"{site.query(owner.format('share_pct')):g}" in shown
    assert "Решения налоговых органов. Не подтверждено" in text(site)


def evidence(site: Site) -> None:
    """From a block down to the bytes of the answer."""
    tab(site, "Ответы")
    site.page.get_by_role("combobox", name="Раздел").click()
    site.page.get_by_role("option", name="Приставы", exact=True).click()
    settle(site)
    query = (
        "SELECT r.{} FROM lineage.snapshots s JOIN lineage.responses r USING (response_id) "
        f"WHERE s.inn = '{SILENT}' AND s.block = 'fssp' ORDER BY s.asked_at DESC LIMIT 1"
    )
    shown = text(site)
    for name in ("response_id", "sha256", "archive_file", "run_id"):
        assert site.query(query.format(name)) in shown, name
    assert "SHA-256 совпадает" in shown
    assert f'"inn": "{SILENT}"' in shown


def what_is_not_known(site: Site) -> None:
    go(site, "Чего мы не знаем")
    counted = {
        label: site.query(f"SELECT count(*) FROM mart.coverage WHERE state IN ({states})")
        for label, states in {
            "Подтверждено последним ответом": "'found', 'clean', 'partial') AND NOT stale AND state NOT IN (''",
            "Устарело": "'found', 'clean', 'partial') AND stale AND state NOT IN (''",
            "Не подтверждено": "'unconfirmed', 'unavailable', 'missing', 'failed'",
            "Не запрашивалось": "'never asked'",
        }.items()
    }
    total = sum(counted.values())
    assert all(number for label, number in counted.items() if label != "Устарело")
    for label, many in counted.items():
        shows(site, label, f"{many} / {total}")
    looks = {mark.get_attribute("class"): mark.inner_text() for mark in site.page.locator("span.badge").all()}
    assert {"badge filled", "badge outlined", "badge aged", "badge hatched", "badge dotted"} == set(looks)
    assert looks["badge aged"].endswith("устарело")
    assert looks["badge dotted"].endswith("не запрашивалось")
    lists(site, "gaps", "∅ не запрашивалось")


def money(site: Site) -> None:
    go(site, "Расходы")
    charged = site.query("SELECT sum(charged_rub) FROM lineage.calls")
    shows(site, "Списано", f"{charged:,.2f} ₽".replace(",", " ").replace(".", ","))
    shows(site, "Проверки", "2")


def sql(site: Site) -> None:
    go(site, "SQL")
    box = site.page.get_by_role("textbox", name=re.compile("SELECT"))
    for query, shown in (
        ("SELECT count(*) AS many, '=1+1' AS formula FROM lineage.responses", None),
        ("DROP TABLE lineage.runs", "Only one SELECT"),
        ("SELECT * FROM read_text('/etc/hostname')", "The query is invalid"),
    ):
        box.fill(query)
        box.press("Control+Enter")
        settle(site)
        if shown:
            eventually(site, lambda shown=shown: shown in site.page.get_by_test_id("stAlert").inner_text(), shown)
            continue
        lists(site, "sql_result", str(site.query("SELECT count(*) FROM lineage.responses")))
        with site.page.expect_download() as saved:
            site.page.get_by_role("button", name="Скачать CSV").click()
        content = saved.value.path().read_bytes().decode("utf-8-sig")
        assert content.splitlines()[1].endswith(",'=1+1")


def who_got_worse(site: Site) -> None:
    """The portfolio page compares the levels of two runs; the company's page shows each of them."""
    at(site, "/?period=7")
    worse = "SELECT count(DISTINCT inn) FROM mart.risk_history WHERE change = 'worse'"
    shows(site, "Стало хуже", str(site.query(worse)))
    lists(site, "moved", SANCTIONED)
    at(site, f"/company?inn={SANCTIONED}")
    tab(site, "История")
    assert (
        site.query(f"SELECT arg_max(level, assessed_at) FROM mart.risk_history WHERE inn = '{SANCTIONED}'")
        == "critical"
    )
    first_table = site.page.get_by_test_id("stDataFrame").first.locator("canvas").first.locator("td")
    eventually(site, lambda: "▲▲ критический" in first_table.all_inner_texts(), "the course of the level")


def a_run_and_a_new_copy(site: Site, service) -> None:
    """While the page is open a run loads and publishes; the page shows it when it is touched again."""
    at(site, "/changes?days=365")
    shows(site, "Изменения", "0")
    check(site, service, "watched.csv", "--profile", "full", "--refresh")
    alerts = site.query("SELECT count(*) FROM mart.news WHERE severity = 'alert'")
    changes = site.query("SELECT count(*) FROM mart.news")
    assert alerts
    site.page.get_by_role("button", name="Обновить").click()
    settle(site)
    shows(site, "Изменения", f"{changes:,}".replace(",", " "))
    shows(site, "▲▲ тревожное", str(alerts))
    lists(site, "changes", SANCTIONED)
    who_got_worse(site)
    at(site, f"/company?inn={SANCTIONED}&lang=en")
    tab(site, "Risk signals")
    row = site.page.locator(".details tr").filter(has_text=title(site, "sanctions_hit", "title")).first
    assert "present" in row.locator(".badge.filled").inner_text()
