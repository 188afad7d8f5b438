"""The digest in words: the most important thing first, and what is not known never as a good result."""

from collections.abc import Sequence
from dataclasses import dataclass

from innspect.reports.digest.digest_data import DigestData, Row
from innspect.reports.digest.message_page import Entry, Fact, Page, Part, capitalize_first, write_subject
from innspect.reports.digest.money_text import low_balance_text, money_lines
from innspect.reports.i18n.catalog import Translations
from innspect.reports.level_history import MOVEMENTS, Movement, past_level_remark
from innspect.reports.level_text import unknown_text
from innspect.reports.news_query import news_sentence
from innspect.schemas.states import RANKED_LEVELS, Level

MAX_ENTRIES = 8
MAX_SIGNALS = 4
MAX_NEWS = 3
MAX_SUBJECT_PARTS = 2
MAX_MOVES_IN_VERDICT = 3
RANKS = {str(level): rank for rank, level in enumerate(RANKED_LEVELS)}
OUTCOMES = {
    "appeared": "digest.appeared",
    "further": "digest.further",
    "unconfirmed": "digest.unconfirmed",
    "vanished": "digest.vanished",
}


@dataclass(frozen=True, slots=True)
class Statement:
    """A part of the verdict, and the level whose colour it has."""

    text: str
    code: str


def describe_digest(data: DigestData, t: Translations) -> Page:
    """The page of a digest; its footer, notes and links are added by the sender."""
    statements = state_verdict(data, t)
    verdict = "; ".join(statement.text for statement in statements)
    return Page(
        subject=write_subject("; ".join(statement.text for statement in statements[:MAX_SUBJECT_PARTS])),
        title=t("digest.title", since=t.date(data.since), until=t.date(data.until)),
        verdict=f"{capitalize_first(verdict)}.",
        code=statements[0].code,
        facts=_facts(data, t),
        parts=[*_movement_parts(data, t), *_news_parts(data, t), *_gap_parts(data, t), _money_part(data, t)],
    )


def state_verdict(data: DigestData, t: Translations) -> list[Statement]:
    """The parts of the verdict, most important first; at least one. Silence is never a calm one."""
    found = _moves(data, t)
    asides: list[Statement] = []
    if data.account.is_low:
        asides.append(Statement(low_balance_text(data.account, t), Level.HIGH))
    if data.failed_runs:
        asides.append(
            Statement(t("digest.failed_checks", count=t.count(len(data.failed_runs), "check")), Level.UNKNOWN)
        )
    return [*(found[:MAX_MOVES_IN_VERDICT] or [_quiet(data, t)]), *asides]


def _moves(data: DigestData, t: Translations) -> list[Statement]:
    found = [
        *_worst_of(data.members_by(Movement.WORSE), "digest.worse_one", "digest.worse_many", t),
        *_worst_of(data.members_by(Movement.KNOWN), "digest.known_one", "digest.known_many", t),
    ]
    moved = {row["inn"] for movement in MOVEMENTS for row in data.members_by(movement)}
    counted = (
        ("digest.unknown_level", _inns(data.members_by(Movement.UNKNOWN)), Level.UNKNOWN),
        ("digest.new_signals", _with_signals(data, "appeared", "further") - moved, Level.MEDIUM),
        ("digest.better", _inns(data.members_by(Movement.BETTER)), Level.LOW),
    )
    found += [Statement(t(key, count=_of(len(inns), t)), code) for key, inns, code in counted if inns]
    # A level that is known again may be the gravest of all.
    found.sort(key=lambda statement: statement.code not in (Level.CRITICAL, Level.HIGH))
    if not found and (others := _with_signals(data, *OUTCOMES) | _inns(data.news)):
        found.append(Statement(t("digest.other_changes", count=_of(len(others), t)), Level.UNKNOWN))
    return found


def _worst_of(rows: Sequence[Row], one: str, many: str, t: Translations) -> list[Statement]:
    """A statement that names the gravest of these members; none without members."""
    if not rows:
        return []
    worst = max(rows, key=lambda row: RANKS.get(row["level"], -1))
    words = {
        "name": worst["name"] or worst["inn"],
        "level": t.label("level", worst["level"]),
        "before": t.label("level", worst["level_before"]),
    }
    text = t(one, **words) if len(rows) == 1 else t(many, count=_of(len(rows), t), **words)
    return [Statement(text, worst["level"])]


def _quiet(data: DigestData, t: Translations) -> Statement:
    """What is said where nothing moved."""
    figures = data.figures
    if not figures["requested"]:
        return Statement(t("digest.no_checks"), Level.UNKNOWN)
    if data.unknown or figures["requested"] < figures["members"]:
        return Statement(t("digest.nothing_found"), Level.UNKNOWN)
    return Statement(t("digest.calm"), Level.LOW)


def _of(number: int, t: Translations) -> str:
    return t.count(number, "of_member")


def _inns(rows: Sequence[Row]) -> set[str]:
    return {row["inn"] for row in rows}


def _with_signals(data: DigestData, *outcomes: str) -> set[str]:
    return {row["inn"] for row in data.signals if row["outcome"] in outcomes}


def _facts(data: DigestData, t: Translations) -> list[Fact]:
    figures, account = data.figures, data.account
    members = t.number(figures["members"])
    days = None if account.days is None else t("digest.low", days=t.count(account.days, "day"))
    spent = t.roubles(data.cost) if data.runs else t("not_known") if not figures["members"] else t.roubles(0)
    return [
        Fact(capitalize_first(t.label("movement", "worse")), t.number(len(data.members_by(Movement.WORSE)))),
        Fact(
            t("digest.not_known"),
            t("digest.of", count=t.number(len(data.unknown) + figures["never_requested"]), total=members),
        ),
        Fact(t("digest.requested"), t("digest.of", count=t.number(figures["requested"]), total=members)),
        Fact(t("digest.spent"), spent, days or ""),
    ]


def _movement_parts(data: DigestData, t: Translations) -> list[Part]:
    parts: list[Part] = []
    for movement in (Movement.WORSE, Movement.UNKNOWN):
        parts += _movement_part(data, movement, t)
    moved = {row["inn"] for movement in MOVEMENTS for row in data.members_by(movement)}
    others = list(dict.fromkeys(row["inn"] for row in data.signals if row["inn"] not in moved))
    if others:
        names = {row["inn"]: row["name"] for row in data.signals}
        entries = [Entry(names[inn] or t("no_name"), inn, _signal_lines(data, inn, t)) for inn in others]
        parts.append(_limit(Part(t("digest.signals"), entries), t))
    for movement in (Movement.KNOWN, Movement.BETTER):
        parts += _movement_part(data, movement, t)
    return parts


def _movement_part(data: DigestData, movement: Movement, t: Translations) -> list[Part]:
    entries = [_moved_entry(data, row, t) for row in data.members_by(movement)]
    return [_limit(Part(capitalize_first(t.label("movement", movement)), entries), t)] if entries else []


def _moved_entry(data: DigestData, row: Row, t: Translations) -> Entry:
    remark = past_level_remark(row, t) if row["level"] == Level.UNKNOWN else ""
    lines = [*_signal_lines(data, row["inn"], t), *([capitalize_first(remark)] if remark else [])]
    return Entry(row["name"] or t("no_name"), row["inn"], lines, row["level_before"], row["level"])


def _news_parts(data: DigestData, t: Translations) -> list[Part]:
    """The gravest facts by member, in sentences."""
    sentence, names = news_sentence(t.language), {row["inn"]: row["name"] for row in data.news}
    entries: list[Entry] = []
    for inn, name in names.items():
        lines = [row[sentence] for row in data.news if row["inn"] == inn]
        rest = len(lines) - MAX_NEWS
        more = [t("digest.more", count=t.number(rest))] if rest > 0 else []
        entries.append(Entry(name or t("no_name"), inn, [*lines[:MAX_NEWS], *more]))
    return [_limit(Part(t("digest.news"), entries), t)] if entries else []


def _signal_lines(data: DigestData, inn: str, t: Translations) -> list[str]:
    """One line for each outcome of the signals of an INN."""
    rows = [row for row in data.signals if row["inn"] == inn]
    lines: list[str] = []
    for outcome, key in OUTCOMES.items():
        titles = [_signal_text(row, t) for row in rows if row["outcome"] == outcome]
        if titles:
            shown = "; ".join(titles[:MAX_SIGNALS])
            rest = f"; +{t.number(len(titles) - MAX_SIGNALS)}" if len(titles) > MAX_SIGNALS else ""
            lines.append(t(key, signals=shown + rest))
    return lines


def _signal_text(row: Row, t: Translations) -> str:
    title = row["title_ru" if t.language == "ru" else "title"]
    evidence = t.signal_evidence(row["evidence"]) if row["outcome"] in ("appeared", "further") else None
    return f"{title} ({evidence})" if evidence else title


def _gap_parts(data: DigestData, t: Translations) -> list[Part]:
    never = data.figures["never_requested"]
    if not data.unknown and not never:
        return []
    listed = _inns(data.members_by(Movement.UNKNOWN)[:MAX_ENTRIES])
    entries = [
        Entry(
            row["name"] or t("no_name"),
            row["inn"],
            [t("digest.new_gap" if row["is_new"] else "digest.old_gap", blocks=unknown_text(row, t))],
        )
        for row in data.unknown
        if row["inn"] not in listed
    ]
    if not entries and not never:
        return []
    lines = [t("digest.never_checked", count=t.count(never, "member"))] if never else []
    return [_limit(Part(t("coverage"), entries, lines, t("digest.gap_note") if entries else ""), t)]


def _limit(part: Part, t: Translations) -> Part:
    rest = len(part.entries) - MAX_ENTRIES
    more = t("digest.more", count=t.number(rest)) if rest > 0 else ""
    return Part(part.title, part.entries[:MAX_ENTRIES], part.lines, part.note, more)


def _money_part(data: DigestData, t: Translations) -> Part:
    figures, lines = data.figures, list[str]()
    if figures["last_asked_at"] is None:
        lines.append(f"{t('no_runs')}.")
    elif not figures["requested"]:
        lines.append(t("digest.idle", at=t.date_time(figures["last_asked_at"])))
    else:
        counts = {"count": t.number(figures["requested"]), "total": t.number(figures["members"])}
        lines.append(t("digest.checked", **counts, at=t.date_time(figures["last_asked_at"])))
    if first := len(data.members_by(Movement.FIRST)):
        lines.append(t("digest.first", count=t.number(first)))
    for run in data.failed_runs[:MAX_ENTRIES]:
        words = t.label("exit", str(run["exit_code"]))
        lines.append(t("digest.run", portfolio=run["portfolio"], at=t.date_time(run["started_at"]), exit=words))
    lines.append(t("digest.spent_line", amount=t.roubles(data.cost)))
    if data.uncertain:
        lines.append(t("digest.uncertain", amount=t.roubles(data.uncertain)))
    return Part(t("digest.money"), lines=[*lines, *money_lines(data.account, t)])
