"""What a probe shows: how the responses differ from the declarations, and what the documents leave open.

Everything here is free of personal data: paths, types, formats, counts, amounts and masked error bodies. The responses
are interpreted by the transforms of a run; this module only groups what they report.
"""

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from innspect.extract.service.charging import FREE_REFUSALS, is_success
from innspect.flows.probe import body_shape
from innspect.flows.probe.probe_plan import Purpose
from innspect.flows.probe.probed_response import ROOT, UNDER_DATA, ProbedResponse
from innspect.reports.format import roubles_text
from innspect.reports.i18n.catalog import count_of
from innspect.schemas.catalogue import METHODS
from innspect.schemas.decoders import ENVELOPE, Conventions, envelope_statuses
from innspect.schemas.states import CallState, SnapshotState

MAX_LISTED_PATHS = 6
MIN_ENVELOPE_RESPONSES = 3
"""Responses that must share an undeclared root field before it counts as a field of the envelope."""
UNDOCUMENTED_METHODS = frozenset(
    {"contacts", "trademarks", *(name for name in METHODS if name.startswith("person-") and name != "person-brief")}
)
"""Methods whose standalone response the documents do not show."""
ENVELOPE_FORMATS: Mapping[str, frozenset[str]] = {
    "price": frozenset({"integer", "number"}),
    "balance": frozenset({"integer", "number"}),
    "status": frozenset({"word of Latin letters"}),
    "message": frozenset({"empty text", "text", "long text", "word of Latin letters"}),
    "last_updated_at": frozenset({"unix seconds"}),
}
"""The formats in which this program reads the fields of the envelope."""


class Level(StrEnum):
    """Whether a finding contradicts a declaration, or fills a gap of the documents."""

    DEVIATION = "deviation"
    LEARNED = "learned"


@dataclass(frozen=True, slots=True)
class Finding:
    """One sentence about the service. `area`: section of the report; `methods`: where it was found."""

    level: Level
    area: str
    text: str
    methods: tuple[str, ...] = ()


@dataclass(slots=True)
class Findings:
    """All findings of a probe and the tables behind them; `as_json` is the report."""

    sentences: list[Finding] = field(default_factory=list[Finding])
    calls: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    envelope: dict[str, Any] = field(default_factory=dict[str, Any])
    refusals: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    fields: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    formats: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    quarantine: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    blocks: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])
    structures: list[dict[str, Any]] = field(default_factory=list[dict[str, Any]])

    def add(self, level: Level, area: str, text: str, *methods: str) -> None:
        """Add a sentence."""
        self.sentences.append(Finding(level, area, text, tuple(dict.fromkeys(methods))))

    @property
    def deviations(self) -> list[Finding]:
        """The findings that contradict a declaration."""
        return [finding for finding in self.sentences if finding.level is Level.DEVIATION]

    def as_json(self) -> dict[str, Any]:
        """The sections of the report."""
        sections = asdict(self)
        sentences = sections.pop("sentences")
        return {"findings": [{**sentence, "level": str(sentence["level"])} for sentence in sentences], **sections}


def find_deviations(
    probed: Sequence[ProbedResponse], conventions: Conventions, secrets: Sequence[str] = ()
) -> Findings:
    """Compare the responses with the declarations. `secrets` are masked in error bodies: the INNs and the key."""
    findings = Findings()
    usable = [one for one in probed if one.response.is_usable and one.response.call.purpose is Purpose.METHOD]
    _compare_calls(probed, findings)
    _report_times(probed, findings)
    _compare_money(probed, findings)
    _compare_envelope(usable, findings, conventions)
    _list_refusals(probed, findings, secrets)
    further = {row["name"] for row in findings.envelope["fields"] if not row["declared"]}
    # A payload of another purpose may be of another kind: what differs there is no deviation of the method.
    _compare_fields(usable, further, findings)
    _compare_formats(usable, findings)
    _list_structures(usable, findings)
    return findings


def _compare_calls(probed: Sequence[ProbedResponse], findings: Findings) -> None:
    """The table of calls and of blocks; calls without a usable response."""
    for one in probed:
        response, call = one.response, one.response.call
        states = Counter(state for _, state, _ in one.states)
        findings.calls.append(
            {
                "method": call.method,
                "inn_of": call.inn_kind,
                "purpose": str(call.purpose),
                "http_status": response.http_status,
                "no_response": response.reason if response.body is None else None,
                "seconds": None if response.seconds is None else round(response.seconds, 2),
                "bytes": None if response.body is None else len(response.body),
                "catalogue_rub": roubles_text(METHODS[call.method].price),
                "price_in_response_rub": roubles_text(one.price),
                "charged_rub": roubles_text(response.charged),
                "balance_fell_rub": roubles_text(response.balance_drop),
                "blocks": {str(state): states[state] for state in SnapshotState if states[state]},
            }
        )
        if call.purpose is not Purpose.METHOD:
            continue
        if response.body is None:
            text = f"No response ({response.reason}): the outcome of the call is {response.state}."
            findings.add(Level.DEVIATION, "calls", text, response.name)
        elif not response.is_usable:
            text = f"A method that fits the INN was answered with HTTP {response.http_status} ({response.reason})."
            findings.add(Level.DEVIATION, "calls", text, response.name)
        for block, state, reason in one.states:
            if state in (SnapshotState.FOUND, SnapshotState.CLEAN):
                continue
            shown = body_shape.mask_reason(reason)
            findings.blocks.append({"method": call.method, "block": block, "state": str(state), "reason": shown})
            if response.is_usable and state == SnapshotState.FAILED:
                text = f"The payload of {block} cannot be used ({shown})."
                findings.add(Level.DEVIATION, "calls", text, response.name)
            elif reason == "no_field":
                text = f"The response has no declared field of {block}; its payload is elsewhere, or has other names."
                findings.add(Level.DEVIATION, "calls", text, response.name)


def _report_times(probed: Sequence[ProbedResponse], findings: Findings) -> None:
    """How long the responses took."""
    timed = [(one.response.seconds, one.response.name) for one in probed if one.response.seconds is not None]
    if timed:
        (fastest, _), (slowest, name) = min(timed), max(timed)
        text = f"Calls took {fastest:.2f} to {slowest:.2f} seconds, one at a time; the slowest is {name}."
        findings.add(Level.LEARNED, "calls", text)


def _compare_money(probed: Sequence[ProbedResponse], findings: Findings) -> None:
    """Prices against the catalogue, against what the response names and against the balance."""
    for one in probed:
        response, price = one.response, one.price
        fell = response.balance_drop
        if response.body is None:
            if fell is not None:
                word = f"was charged {_rub(fell)}" if fell else "was not charged"
                findings.add(Level.LEARNED, "money", f"A call without a response {word} by the balance.", response.name)
        elif one.is_free_unavailable:
            _compare_unavailable(one, findings)
        elif not response.is_usable:
            _compare_refusal(one, findings)
        elif (charge := price if price is not None else fell) is not None and charge != one.catalogue_price:
            text = f"The price is {_rub(charge)}; the catalogue says {_rub(one.catalogue_price)}."
            findings.add(Level.DEVIATION, "money", text, response.name)
        if fell is not None and price is not None and fell != price:
            text = f"The response names the price {_rub(price)}, and the balance fell by {_rub(fell)}."
            findings.add(Level.DEVIATION, "money", text, response.name)
    if probed and all(one.response.balance_drop is None for one in probed):
        text = "The balance is not known before and after any call, so charges are only what the responses name."
        findings.add(Level.LEARNED, "money", text)


def _compare_unavailable(one: ProbedResponse, findings: Findings) -> None:
    charges = [amount for amount in (one.price, one.response.balance_drop) if amount]
    if charges:
        counted = f"{_rub(one.price)}, the price that it names" if one.price else "free, because it names no price"
        text = f"An unavailable response was charged {_rub(max(charges))}; the program counts it as {counted}."
        findings.add(Level.DEVIATION, "money", text, one.response.name)
    elif one.response.balance_drop is not None:
        findings.add(Level.LEARNED, "money", "An unavailable response was not charged.", one.response.name)


def _compare_refusal(one: ProbedResponse, findings: Findings) -> None:
    response, fell = one.response, one.response.balance_drop
    if charge := max(fell or 0, one.price or 0):
        text = f"HTTP {response.http_status} was charged {_rub(charge)}."
        findings.add(Level.DEVIATION, "money", text, response.name)
    elif fell == 0 and response.state == CallState.UNKNOWN:
        text = f"HTTP {response.http_status} did not lower the balance; the program counts the call as charged."
        findings.add(Level.LEARNED, "money", text, response.name)
    elif fell == 0:
        findings.add(Level.LEARNED, "money", f"HTTP {response.http_status} was not charged.", response.name)


def _rub(kopecks: int) -> str:
    return f"{roubles_text(kopecks)} RUB"


def _compare_envelope(usable: Sequence[ProbedResponse], findings: Findings, conventions: Conventions) -> None:
    """Position of the payload, fields of the envelope, words of its status."""
    positions = Counter(one.position for one in usable)
    with_envelope = [one for one in usable if one.position in (ROOT, UNDER_DATA)]
    shared = Counter(name for one in with_envelope for name in one.undeclared_fields)
    needed = max(MIN_ENVELOPE_RESPONSES, len(with_envelope) // 2)
    further = [name for name, count in shared.items() if count >= needed]
    rows: list[dict[str, Any]] = []
    for name in (*ENVELOPE, *sorted(further)):
        # A payload with a field of this name at the root hides the envelope's.
        able = [one for one in with_envelope if name not in one.own_fields]
        values = [one.body[name] for one in able if name in one.body]
        formats = Counter(map(body_shape.value_format, values))
        shown = body_shape.mask_key_name(name)
        rows.append(
            {
                "name": shown,
                "declared": name in ENVELOPE,
                "responses": len(values),
                "of": len(able),
                "formats": dict(formats.most_common()),
            }
        )
        if name not in ENVELOPE:
            listed = ", ".join(formats)
            share = f"{len(values)} of {count_of(len(able), 'response')}"
            text = f"The envelope has the undeclared field {shown} ({listed}), in {share}."
            findings.add(Level.DEVIATION, "envelope", text)
        elif not values and able:
            findings.add(Level.DEVIATION, "envelope", f"No response has the field {name} in its envelope.")
        elif len(values) < len(able):
            lacking = [one.response.name for one in able if name not in one.body]
            text = f"The field {name} of the envelope is in {len(values)} of {count_of(len(able), 'response')}."
            findings.add(Level.DEVIATION, "envelope", text, *lacking)
        for other in formats.keys() - ENVELOPE_FORMATS.get(name, formats.keys()):
            text = f"The field {name} of the envelope has the format {other} ({formats[other]} of {len(values)})."
            findings.add(Level.DEVIATION, "envelope", text)
    for position, count in positions.most_common():
        findings.add(Level.LEARNED, "envelope", f"Payload {position}: {count} of {count_of(len(usable), 'response')}.")
    findings.envelope = {
        "positions": dict(positions.most_common()),
        "fields": rows,
        "status_words": _list_status_words(with_envelope, findings, conventions),
    }


def _list_status_words(
    usable: Sequence[ProbedResponse], findings: Findings, conventions: Conventions
) -> list[dict[str, Any]]:
    words: dict[str, list[ProbedResponse]] = defaultdict(list)
    for one in usable:
        word = one.envelope.get("status")
        if isinstance(word, str) and word:
            words[body_shape.mask_status(word)].append(one)
    known = envelope_statuses(conventions.ok_statuses)
    rows: list[dict[str, Any]] = []
    for word, found in words.items():
        is_declared = word.casefold() in known
        content = sum(one.has_content for one in found)
        rows.append({"word": word, "declared": is_declared, "responses": len(found), "with_content": content})
        if not is_declared:
            text = (
                f"The envelope's status is “{word}” in {count_of(len(found), 'response')}, {content} of them "
                f"with content; known words are {', '.join(sorted(known))}."
            )
            findings.add(Level.DEVIATION, "envelope", text, *(one.response.name for one in found))
    return rows


def _list_refusals(probed: Sequence[ProbedResponse], findings: Findings, secrets: Sequence[str]) -> None:
    """The responses to INNs that a method is not for, and all other error responses."""
    for one in probed:
        response, call = one.response, one.response.call
        expects_refusal = call.purpose in (Purpose.OTHER_LENGTH, Purpose.WRONG_DIGITS)
        if response.body is None or (response.is_usable and not expects_refusal and one.has_evidence):
            continue
        is_error = not response.is_usable or one.is_error_body
        if not is_error and not expects_refusal:
            continue
        form = body_shape.body_format(response.body)
        # A text with a success status may hold data.
        is_text = is_success(response.http_status) and form != "json"
        findings.refusals.append(
            {
                "method": call.method,
                "inn_of": call.inn_kind,
                "purpose": str(call.purpose),
                "http_status": response.http_status,
                "form": form,
                "charged_rub": roubles_text(response.charged),
                "balance_fell_rub": roubles_text(response.balance_drop),
                # What looks like a payload is listed by its structure only.
                "body": body_shape.mask_body(response.body, secrets) if is_error and not is_text else None,
                "structure": [] if one.body is None else body_shape.list_structure([one.body]),
            }
        )
        if is_success(response.http_status) and not response.is_usable:
            continue
        if response.is_usable and is_error:
            text = f"An error was answered with HTTP {response.http_status} and an error body ({call.purpose})."
            findings.add(Level.DEVIATION, "refusals", text, response.name)
        elif response.is_usable:
            text = f"HTTP {response.http_status} with a payload instead of a refusal ({call.purpose})."
            findings.add(Level.DEVIATION, "refusals", text, response.name)
        elif response.http_status not in FREE_REFUSALS:
            text = f"HTTP {response.http_status}, a status that the program counts as charged ({call.purpose})."
            findings.add(Level.DEVIATION, "refusals", text, response.name)
        else:
            text = f"HTTP {response.http_status} with a body as {form} ({call.purpose})."
            findings.add(Level.LEARNED, "refusals", text, response.name)


def _compare_fields(usable: Sequence[ProbedResponse], further: set[str], findings: Findings) -> None:
    """Drift of each method: unknown and absent fields, other types, new words, filled reserved fields."""
    methods: dict[str, list[str]] = defaultdict(list)
    paths: dict[str, list[str]] = defaultdict(list)
    for one in usable:
        if one.batch is None:
            continue
        for row in one.batch.drift.iter_rows(named=True):
            path, kind, sample = body_shape.mask_path(row["path"]), row["kind"], row["sample"]
            if path in further or (path == "status" and _is_status_of(one, sample)):
                continue
            findings.fields.append(
                {
                    "method": one.response.call.method,
                    "inn_of": one.response.call.inn_kind,
                    "block": row["block"],
                    "path": path,
                    "kind": kind,
                    "occurrences": row["occurrences"],
                    "format": _drift_format(kind, sample),
                }
            )
            methods[kind].append(one.response.name)
            paths[kind].append(f"{row['block']}.{path}")
    for kind, names in methods.items():
        text = f"{DRIFT_MEANINGS[kind]}: {_list_some(paths[kind])}."
        findings.add(Level.DEVIATION, "fields", text, *names)


def _list_some(names: Sequence[str]) -> str:
    """The first distinct names, and how many there are."""
    distinct = list(dict.fromkeys(names))
    more = len(distinct) - MAX_LISTED_PATHS
    return ", ".join(distinct[:MAX_LISTED_PATHS]) + (f" and {more} more" if more > 0 else "")


DRIFT_MEANINGS: Mapping[str, str] = {
    "unknown_field": "Fields that are not declared",
    "missing_field": "Declared fields that are absent",
    "type_changed": "Fields with another JSON type",
    "new_value": "Words that an enumeration does not declare",
    "reserved_filled": "Reserved fields that have a value",
    "duplicate_differs": "Fields that should repeat another field and differ",
}


def _is_status_of(one: ProbedResponse, sample: str | None) -> bool:
    """Whether the drift is the word of the envelope, which the section of the envelope lists."""
    word = one.envelope.get("status")
    return (
        isinstance(word, str) and sample is not None and body_shape.mask_status(word) == body_shape.mask_status(sample)
    )


def _drift_format(kind: str, sample: str | None) -> str:
    """The format of a sample; a new word of an enumeration is shown if it is a code."""
    if kind == "new_value" and sample is not None and body_shape.CODE.fullmatch(sample):
        return sample
    return body_shape.sample_format(sample)


def _compare_formats(usable: Sequence[ProbedResponse], findings: Findings) -> None:
    """Violations and quarantined rows of each method, by the format of their values."""
    violations: dict[tuple[str, ...], Counter[str]] = defaultdict(Counter)
    quarantined: Counter[tuple[str, ...]] = Counter()
    for one in usable:
        if one.batch is None:
            continue
        method = one.response.call.method
        for row in one.batch.violations.iter_rows(named=True):
            column = row["column_name"] or ""
            key = (method, row["table_name"], body_shape.mask_key_name(column) if column else "", row["rule"])
            violations[key][_drift_format("new_value" if row["rule"] == "one_of" else "", row["value"])] += 1
        for row in one.batch.quarantine.iter_rows(named=True):
            quarantined[method, row["table_name"], row["rule"]] += 1
    rules: dict[str, list[tuple[str, str, Counter[str]]]] = defaultdict(list)
    for (method, table, column, rule), formats in violations.items():
        findings.formats.append(
            {
                "method": method,
                "table": table,
                "column": column,
                "rule": rule,
                "values": formats.total(),
                "formats": dict(formats.most_common()),
            }
        )
        rules[rule].append((method, f"{table}.{column}" if column else table, formats))
    for rule, found in rules.items():
        formats = sum((counts for _, _, counts in found), Counter[str]())
        listed = ", ".join(f"{count} {name}" for name, count in formats.most_common())
        text = f"Values that break the rule “{rule}” ({listed}): {_list_some([column for _, column, _ in found])}."
        findings.add(Level.DEVIATION, "formats", text, *(method for method, _, _ in found))
    for (method, table, rule), count in quarantined.items():
        findings.quarantine.append({"method": method, "table": table, "rule": rule, "rows": count})
    if quarantined:
        text = f"Rows that cannot be stored in core: {quarantined.total()}."
        findings.add(Level.DEVIATION, "formats", text, *(key[0] for key in quarantined))


def _list_structures(usable: Sequence[ProbedResponse], findings: Findings) -> None:
    """The structure of every body that the documents do not show."""
    for one in usable:
        call = one.response.call
        if call.method in UNDOCUMENTED_METHODS and one.body is not None:
            findings.structures.append(
                {"method": call.method, "inn_of": call.inn_kind, "paths": body_shape.list_structure([one.payload])}
            )
    if findings.structures:
        text = "Structures of responses that the documents do not show are listed for the declarations."
        findings.add(Level.LEARNED, "structures", text, *(row["method"] for row in findings.structures))


def methods_by_text(sentences: Sequence[Finding]) -> Iterator[Finding]:
    """The findings with those of the same text merged."""
    merged: dict[tuple[Level, str, str], list[str]] = {}
    for finding in sentences:
        merged.setdefault((finding.level, finding.area, finding.text), []).extend(finding.methods)
    for (level, area, text), methods in merged.items():
        yield Finding(level, area, text, tuple(dict.fromkeys(methods)))
