"""The HTML page of a probe: one file without scripts or external resources, from the JSON object of the probe.

The page shows nothing that the object lacks, and the object has no personal data. It is in English only: it is for the
maintainers of this program and of the service.
"""

from collections.abc import Mapping
from importlib.resources import files
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

PACKAGE = "innspect.reports.probe_report"


def build_probe_page(report: Mapping[str, Any]) -> str:
    """The page of a probe; `report` is the object that `probe --json` writes."""
    environment = Environment(
        loader=PackageLoader(PACKAGE), autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    environment.filters["counts"] = _list_counts
    css = files(PACKAGE).joinpath("templates", "probe.css").read_text("utf-8")
    template = environment.get_template("probe.html.j2")
    return template.render(
        report=report,
        css=Markup(css),  # noqa: S704 (our own file)
        deviations=[finding for finding in report["findings"] if finding["level"] == "deviation"],
        learned=[finding for finding in report["findings"] if finding["level"] == "learned"],
    )


def _list_counts(counts: Mapping[str, int]) -> str:
    """Counts as text: `12 dd.mm.yyyy, 3 null`."""
    return ", ".join(f"{count} {name}" for name, count in counts.items())
