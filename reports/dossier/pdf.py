"""The page of a dossier as PDF (A4): the same HTML, with head and number on each page, and fonts of our own.

The fonts are part of the package, so that a machine without fonts prints the same bytes. Nothing is fetched.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from importlib.resources import as_file, files
from io import BytesIO

import plutoprint

PACKAGE = "innspect.reports.dossier"
FONTS: Mapping[str, tuple[str, str]] = {
    "innspect:regular": ("DejaVuSansCondensed.ttf", "400"),
    "innspect:bold": ("DejaVuSansCondensed-Bold.ttf", "700"),
}
FAMILY = "Dossier Sans"


@dataclass(frozen=True, slots=True)
class PageHead:
    """What each page says: `left` and `right` above, `below` it, and the words around its number."""

    title: str
    left: str
    right: str
    below: str
    page: str
    of: str


class _FontFetcher(plutoprint.ResourceFetcher):
    """Serves the fonts of the package; everything else is refused, files and network alike."""

    def fetch_url(self, url: str) -> plutoprint.ResourceData:
        file = FONTS.get(url)
        if file is None:
            raise PermissionError(url)
        content = files(PACKAGE).joinpath("fonts", file[0]).read_bytes()
        return plutoprint.ResourceData(content, "font/ttf")


def print_pdf(html: str, head: PageHead, made_of: datetime) -> bytes:
    """The PDF of a page; `made_of` (UTC) is its date, so that the same page gives the same bytes."""
    _ignore_system_fonts()
    book = plutoprint.Book(plutoprint.PAGE_SIZE_A4)
    book.custom_resource_fetcher = _FontFetcher()
    book.load_html(html, user_style=_page_style(head))
    # After the page, which replaces all properties.
    for field in (plutoprint.PDF_METADATA_CREATION_DATE, plutoprint.PDF_METADATA_MODIFICATION_DATE):
        book.set_metadata(field, f"{made_of.isoformat(timespec='seconds')}Z")
    book.set_metadata(plutoprint.PDF_METADATA_TITLE, head.title)
    book.set_metadata(plutoprint.PDF_METADATA_SUBJECT, head.below)
    out = BytesIO()
    book.write_to_pdf_stream(out)
    return out.getvalue()


@cache
def _ignore_system_fonts() -> None:
    """Configure fontconfig without any font: a glyph that ours lack would come from another font on each machine."""
    with as_file(files(PACKAGE).joinpath("fonts")) as folder:
        plutoprint.plutobook_set_fontconfig_path(folder)


def _page_style(head: PageHead) -> str:
    faces = " ".join(
        f'@font-face {{ font-family: "{FAMILY}"; font-weight: {weight}; src: url({url}); }}'
        for url, (_, weight) in FONTS.items()
    )
    font = f'font: 7.5pt "{FAMILY}"; color: #566373;'
    number = f"{_css_text(head.page + ' ')} counter(page) {_css_text(f' {head.of} ')} counter(pages)"
    boxes = {
        "top-left": _css_text(head.left),
        "top-right": _css_text(head.right),
        "bottom-left": _css_text(head.below),
        "bottom-right": number,
    }
    margins = " ".join(f"@{name} {{ content: {content}; {font} }}" for name, content in boxes.items())
    family = f'body, svg, svg text {{ font-family: "{FAMILY}"; }}'
    return f"{faces} {family} @page {{ margin: 19mm 15mm 17mm 15mm; {margins} }}"


def _css_text(text: str) -> str:
    """A string of CSS: every character that could end it or the style is escaped."""
    return '"' + "".join(c if c.isalnum() or c in " .,:·№-" else f"\\{ord(c):x} " for c in text) + '"'
