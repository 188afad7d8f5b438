"""Every field that the service's documents name: method, path, documented type. Facts only, for the tests.

Run from the root as `python -m tests.support.documented_fields [folder of the documents] > tests/data/documented_fields.csv`.
A path has `[]` after a list and `*` for a key that is data. The method `*` stands for what any answer may carry.
"""

import csv
import io
import re
import sys
from collections.abc import Iterator
from pathlib import Path

FOLDER = Path("../shared/api")
ANY, FULL_CHECK = "*", "full-check"
TYPES = ("string", "int", "number", "bool", "array", "object")
Row = tuple[str, str, str]

# Prose that no rule reads: the fields are named in sentences, or under keys that are data.
OPEN_DATA = {
    "tax-debts": (
        "total int, total_sum number, records array, records[].inn string, records[].ogrn string, "
        "records[].name string, records[].debt_type string, records[].sum number, records[].record_date string"
    ),
    "tax-offences": (
        "total, total_sum, records array, records[].inn string, records[].ogrn string, records[].name string, "
        "records[].offence_type string, records[].article string, records[].sum number, records[].decision_date string"
    ),
    "employees": (
        "record object, record.inn string, record.ogrn string, record.name string, record.headcount int, "
        "record.publish_date string"
    ),
    "revexp": (
        "record object, record.inn string, record.ogrn string, record.name string, record.revenue number, "
        "record.expense number, record.period string"
    ),
    "msp": (
        "record object, record.inn string, record.ogrn string, record.name string, record.headcount int, "
        "record.category string, record.is_ip bool, record.as_of string"
    ),
}
OPEN_DATA_COMMON = "inn string, snapshot_date string, status string, error string"
PROSE = {
    "brief": "social_profiles.*[].url, social_profiles.*[].name, social_profiles.*[].extra",
    "freezes": (
        "_inquiry.price number, _inquiry.balance number, _inquiry.credit int, _inquiry.speed int, _inquiry.attempts int"
    ),
    "general-courts": "raw.sudrf_enriched_count, raw.sudrf_enriched_cost_rub",
    "contracts": (
        "by_year.*.count int, by_year.*.amount number, raw.sources, raw.ext_sources_timeout, raw.all_sources_dead"
    ),
    "pledges": "pledges[].pledgees[].name, pledges[].pledgees[].inn",
    FULL_CHECK: (
        "employees_bulk.record object, risk_flags.mass_director bool, risk_flags.mass_founder bool, "
        "risk_flags.mass_address bool, risk_flags.disqualified_persons bool, risk_flags.illegal_finance bool, "
        "risk_flags.unfair_supplier bool, risk_flags.sanctions bool, risk_flags.sanctions_founders bool, "
        "risk_flags.invalid_address bool, risk_flags.disqualified_records array, risk_flags.linked_companies array, "
        "risk_flags.mass_check_unavailable bool, risk_flags.mass_check_reason string, risk_flags.mass_source string"
    ),
    ANY: "price, balance, status, message, last_updated_at, _from_local bool, _local_fetched_at string",
}
MAPS = ("{year: {", "{vk: [", "{year string: {")
"""How the documents show objects whose keys are data."""


def listed(method: str, text: str) -> Iterator[Row]:
    """Rows of a hand-written list, `path type` by commas."""
    for item in text.split(", "):
        path, _, kind = item.partition(" ")
        yield method, path, kind


def sections(text: str) -> Iterator[tuple[str, str]]:
    """Heading and body of each third-level section, up to the next heading of any level."""
    for part in re.split(r"^(?=#{1,3} )", text, flags=re.MULTILINE):
        heading, _, body = part.partition("\n")
        if heading.startswith("### "):
            yield heading.removeprefix("### "), body


def cells(body: str, columns: int) -> Iterator[list[str]]:
    """Rows of the markdown tables with that many columns, without heads and rules."""
    for line in body.splitlines():
        row = [cell.strip() for cell in line.strip().strip("|").split(" | ")]
        if line.startswith("| ") and len(row) == columns and row[0] not in {"Field", "Block key", "Rule", "Method"}:
            yield row


def paths(cell: str) -> list[str]:
    """The paths of a field cell: those after the first share its prefix."""
    first, *others = re.split(r", | / ", cell)
    prefix = re.match(r"(?:.*[.\]]\.|)", first)
    stem = prefix.group() if prefix else ""
    return [first.removesuffix("[]"), *(stem + other.removesuffix("[]") for other in others)]


def types(cell: str, count: int) -> list[str]:
    """The types of a type cell, one for each of its paths."""
    given = cell.split(", ")
    return given if len(given) == count else [cell] * count


def braces(text: str) -> Iterator[tuple[str, str]]:
    """Each `{…}` with the words before it, remarks in parentheses left out."""
    before = 0
    for match in re.finditer(r"\{[^{}]*\}", text):
        yield text[before : match.start()], re.sub(r"\([^)]*\)", "", match.group().strip("{}"))
        before = match.end()


def members(method: str, base: str, inner: str) -> Iterator[Row]:
    """Rows of `{name: type, name FORMAT, name[]}` under a base path."""
    for item in inner.split(","):
        words = re.findall(r"[\w\[\]]+", item)
        kind = next((word for word in words[1:] if word in TYPES), "")
        name = words[0]
        yield method, base + name.removesuffix("[]"), "array" if name.endswith("[]") else kind


def field_rows(method: str, cell: list[str]) -> Iterator[Row]:
    """Rows of one line of a field table, the elements named in its meaning included."""
    names = paths(cell[0])
    for path, kind in zip(names, types(cell[1], len(names)), strict=True):
        yield method, path, kind
        if any(shown in cell[2] for shown in MAPS):
            continue
        opener = "[]." if kind == "array" else "."
        for before, inner in braces(cell[2]):
            nested = re.search(r"`(\w+)\[\]` = `$", before)
            base = f"{path}{opener}{nested.group(1)}[]." if nested else f"{path}{opener}"
            yield from members(method, base, inner)


def full_check_rows(body: str) -> Iterator[Row]:
    """Rows of the table of blocks: their keys, and the fields that its notes name."""
    for key, _, notes in cells(body, 3):
        if key.startswith("_meta."):
            yield FULL_CHECK, key, _
            continue
        yield FULL_CHECK, key, "array" if key in {"timeline", "_verified_empty_blocks"} else "object"
        array = ""
        for before, inner in braces(notes):
            base = f"{key}.record." if before.endswith("`record` = `") else f"{key}.{array}"
            rows = list(members(FULL_CHECK, base, inner))
            array = next((path.removeprefix(f"{key}.") + "[]." for _, path, kind in rows if kind == "array"), "")
            yield from rows


def open_data_rows(body: str) -> Iterator[Row]:
    """Rows of the open-data methods; raises where the sentence about one names a field that is not listed here.

    A method's own fields come in its sentence's order, then those that all have.
    """
    for method, sentence in cells(body, 2):
        rows = list(listed(method, f"{OPEN_DATA[method]}, {OPEN_DATA_COMMON}"))
        here = {re.split(r"[.\]]+", path)[-1] for _, path, _ in rows} | {path for _, path, _ in rows}
        named = set(re.findall(r"`([a-z_]+)`", sentence)) - {"loaded", "idle"}
        if named - here:
            raise ValueError(f"{method}: {', '.join(sorted(named - here))}: name them in OPEN_DATA.")
        yield from rows


def parents(rows: list[Row]) -> Iterator[Row]:
    """Rows, each after the lists and objects that it implies."""
    seen: set[tuple[str, str]] = {(method, path) for method, path, _ in rows}
    for method, path, kind in rows:
        for match in re.finditer(r"(?<=\w)(\[\])?\.", path):
            parent = (method, path[: match.start()])
            if parent not in seen:
                seen.add(parent)
                yield *parent, "array" if match.group(1) else "object"
        yield method, path, kind


def method_of(heading: str) -> str:
    """The method that a section is about."""
    named = re.search(r"\(`([\w-]+)`", heading)
    return named.group(1) if named else heading.split(maxsplit=1)[0].rstrip(":")


def documented(folder: Path) -> list[Row]:
    """Every documented field, each once, in the order of the documents."""
    rows: list[Row] = list(listed(ANY, PROSE[ANY]))
    for document in sorted(folder.glob("*.md")):
        for heading, body in sections(document.read_text(encoding="utf-8")):
            if heading == "Full check":
                rows += [*full_check_rows(body), *listed(FULL_CHECK, PROSE[FULL_CHECK])]
            elif heading.startswith("Open-data methods"):
                rows += open_data_rows(body)
            elif heading != "Shared conventions":
                method = method_of(heading)
                for cell in cells(body, 3):
                    rows += field_rows(method, cell)
                rows += listed(method, PROSE[method]) if method in PROSE else ()
    known: dict[tuple[str, str], str] = {}
    for method, path, kind in parents(rows):
        at = (method, re.sub(r"^\[\]\.", "", path))
        known[at] = known.get(at) or kind
    return [(*at, kind) for at, kind in known.items()]


def table(folder: Path) -> str:
    """The documented fields as CSV with a head."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(("method", "path", "type"))
    writer.writerows(documented(folder))
    return text.getvalue()


if __name__ == "__main__":
    sys.stdout.write(table(Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER))
