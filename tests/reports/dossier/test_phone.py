"""The page of a dossier on a phone: nothing is wider than the screen."""

from pathlib import Path

import pytest

from tests.reports.dossier.test_formats import data, encode, heavy

__all__ = ["data", "heavy"]
CHROMIUM = Path("/usr/bin/chromium")
PHONE_PX = 390


@pytest.mark.long
@pytest.mark.skipif(not CHROMIUM.exists(), reason="needs Chromium")
def test_nothing_is_wider_than_a_phone(heavy, tmp_path):
    from playwright.sync_api import sync_playwright

    page_file = tmp_path / "dossier.html"
    page_file.write_bytes(encode(heavy, "html"))
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=str(CHROMIUM))
        page = browser.new_page(viewport={"width": PHONE_PX, "height": 800})
        page.goto(page_file.as_uri())
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE_PX
        browser.close()
