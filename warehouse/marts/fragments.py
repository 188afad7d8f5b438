"""SQL fragments that mart files include by placeholder: block states, states, change meanings, address comparison."""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum
from functools import cache

from innspect.schemas.catalogue import BLOCKS, available_blocks
from innspect.schemas.declaration import FLAG_REASONS, PERSON_DIGITS
from innspect.schemas.states import (
    COMPLETE,
    EVIDENCE,
    LEVEL_SIGNAL,
    NEVER_ASKED,
    RANKED_LEVELS,
    CallState,
    Level,
    SignalState,
    SnapshotState,
    sql_list,
)
from innspect.warehouse.ddl import LATEST, literal
from innspect.warehouse.latest import latest_attempts, unanswered_calls

MAX_SHARING_INNS = 25
"""A phone, address or name shared by more INNs is no link between two of them: a mass address, a call centre."""

ADDRESS_ABBREVIATIONS: Mapping[str, str] = {
    "город": "г", "гор": "г", "улица": "ул", "проспект": "пр-кт", "просп": "пр-кт", "пр-т": "пр-кт",
    "переулок": "пер", "площадь": "пл", "шоссе": "ш", "набережная": "наб", "бульвар": "б-р", "бул": "б-р",
    "область": "обл", "район": "р-н", "дом": "д", "корпус": "к", "корп": "к", "строение": "стр", "квартира": "кв",
    "офис": "оф", "помещение": "помещ", "пом": "помещ", "комната": "ком", "этаж": "эт", "литера": "лит",
}  # fmt: skip

ENUMERATIONS: Mapping[str, type[StrEnum]] = {
    "snapshot": SnapshotState,
    "call": CallState,
    "signal": SignalState,
    "level": Level,
}
STATE = re.compile(r"\{(" + "|".join(ENUMERATIONS) + r")\.(\w+)\}")
STATE_GROUPS: Mapping[str, str] = {
    "{evidence_states}": sql_list(EVIDENCE),
    "{complete_states}": sql_list(COMPLETE),
    "{unknown_signals}": sql_list((SignalState.UNKNOWN, SignalState.NEVER_REQUESTED)),
    "{never_asked}": literal(NEVER_ASKED),
    "{ranked_levels}": "[" + ", ".join(map(literal, RANKED_LEVELS)) + "]",
    "{severe_levels}": sql_list((Level.CRITICAL, Level.HIGH)),
    "{level_signal}": literal(LEVEL_SIGNAL),
}


def _words(states: Iterable[StrEnum]) -> str:
    *words, last = states
    return f"{', '.join(words)} or {last}"


STATE_WORDS: Mapping[str, str] = {"{signal_states}": _words(SignalState), "{evidence_words}": _words(EVIDENCE)}
"""Placeholders of comments."""


def fill_words(comment: str) -> str:
    """Replace `STATE_WORDS` in a comment."""
    for placeholder, words in STATE_WORDS.items():
        comment = comment.replace(placeholder, words)
    return comment


def fill_states(sql: str) -> str:
    """Replace `{snapshot.partial}` and the like, and `STATE_GROUPS`, by SQL literals. Raises KeyError if unknown."""
    for placeholder, states in STATE_GROUPS.items():
        sql = sql.replace(placeholder, states)
    return STATE.sub(lambda match: literal(ENUMERATIONS[match[1]][match[2].upper()]), sql)


@cache
def askable_blocks() -> str:
    """Rows (block, digits) for `VALUES`: the blocks that can be requested for INNs of that length."""
    pairs = [(block, digits) for digits in (10, 12) for block in BLOCKS if block in available_blocks(digits)]
    return ", ".join(f"({literal(block)}, {digits})" for block, digits in pairs)


@cache
def requested_of_persons() -> str:
    """Pairs (inn, block) of persons and blocks that `askable_blocks` does not have for persons.

    Such a block was requested because of the setting `service.person_methods`, which the warehouse does not store: it
    is askable for the INNs for which it was requested.
    """
    added = ", ".join(literal(block) for block in BLOCKS if block not in available_blocks(PERSON_DIGITS))
    condition = f"WHERE length(inn) = {PERSON_DIGITS} AND block IN ({added})"
    return (
        f"SELECT inn, block FROM lineage.{LATEST} {condition} "
        f"UNION SELECT inn, block FROM ({unanswered_calls()}) {condition}"
    )


def list_complete(evidence: str) -> str:
    """An expression: whether the evidence has whole lists; false if they are partial or capped, NULL without evidence.

    `evidence` is a row with `version_id`, `evidence_state` and `evidence_reason`. A version known from a partial
    response may lack rows, so its figures are lower bounds; so may one that was found with a reason, a full list.
    """
    reasons = "|".join(sorted(FLAG_REASONS))
    reason = f"{evidence}.evidence_reason"
    return (
        f"CASE WHEN {evidence}.version_id IS NULL THEN NULL "
        f"WHEN {evidence}.evidence_state IN {sql_list(COMPLETE)} THEN {reason} IS NULL "
        f"ELSE regexp_full_match(coalesce({reason}, ''), '({reasons})(,({reasons}))*') END"
    )


def join_states(pairs: str, attempts: str) -> str:
    """A query of one row per pair: state of its latest attempt and dates of its latest evidence.

    `pairs`: a relation of (inn, block). `attempts`: a relation like `latest_attempts`. `state`, `reason`, `method`,
    `asked_at` and `last_snapshot_id` are of the latest attempt (`never asked` if there is none); `version_id`,
    `snapshot_id`, `checked_at`, `collected_at`, `source_date` and `complete` of the latest evidence.
    """
    return f"""
    SELECT s.inn, s.block, coalesce(l.state, {literal(NEVER_ASKED)}) AS state, l.reason, l.method, l.asked_at,
           l.snapshot_id AS last_snapshot_id, l.version_id, l.evidence_id AS snapshot_id, l.checked_at, l.collected_at,
           l.source_date, {list_complete("l")} AS complete
    FROM {pairs} s
    LEFT JOIN {attempts} l ON l.inn = s.inn AND l.block = s.block
""".strip()


def block_states_of(inns: str, attempts: str, moment: str) -> str:
    """The block states of some INNs with the column `moment`, for `FROM`; columns and `attempts` as in `join_states`.

    `inns`: a relation of INNs.
    """
    of_inns = f"SELECT * FROM ({attempts}) SEMI JOIN {inns} USING (inn)"
    pairs = f"""(
        SELECT c.inn, b.block FROM {inns} c
        JOIN (VALUES {askable_blocks()}) b (block, digits) ON b.digits = length(c.inn)
        UNION SELECT inn, block FROM attempts
    )"""
    states = join_states(pairs, "attempts")
    return f"(WITH attempts AS MATERIALIZED ({of_inns})\n    SELECT *, {moment} AS moment FROM ({states}))"


@cache
def block_states() -> str:
    """CTE `block_states`: one row per askable block of each INN that is a portfolio member or was ever requested.

    The columns are those of `join_states`.

    INNs come from a separate subquery, so that a filter on one block is pushed down to the table of latest responses.
    """
    pairs = f"""(
        SELECT i.inn, b.block
        FROM (SELECT inn FROM lineage.portfolio_members UNION SELECT inn FROM lineage.{LATEST}
              UNION SELECT inn FROM ({unanswered_calls()})) i
        JOIN (VALUES {askable_blocks()}) b (block, digits) ON b.digits = length(i.inn)
        UNION ALL SELECT inn, block FROM ({requested_of_persons()})
    )"""
    return f"block_states AS (\n    {join_states(pairs, f'({latest_attempts()})')}\n)"


def askable_inns() -> str:
    """CTE `askable_inns`: the INNs of `block_states`, and how many blocks without those of `requested_of_persons`."""
    counts = ", ".join(f"({digits}, {len(available_blocks(digits))})" for digits in (10, PERSON_DIGITS))
    return f"""askable_inns AS (
    SELECT i.inn, d.blocks
    FROM (SELECT inn FROM lineage.portfolio_members UNION SELECT inn FROM lineage.{LATEST}
          UNION SELECT inn FROM ({unanswered_calls()})) i
    JOIN (VALUES {counts}) d (digits, blocks) ON d.digits = length(i.inn)
)"""


def requested_states() -> str:
    """CTE `requested_states`: the rows of `block_states` of the blocks that were requested, and `is_always_askable`.

    That is false for a block of `requested_of_persons`. Most INNs have few of them: what needs no others takes a
    fraction of the time and memory of `block_states`.
    """
    blocks = {n: ", ".join(map(literal, sorted(available_blocks(n)))) for n in (10, PERSON_DIGITS)}
    is_askable = (
        f"CASE length(l.inn) {' '.join(f'WHEN {n} THEN l.block IN ({names})' for n, names in blocks.items())} END"
    )
    return f"""requested_states AS (
    SELECT l.inn, l.block, l.state, l.reason, l.method, l.asked_at, l.snapshot_id AS last_snapshot_id, l.version_id,
           l.evidence_id AS snapshot_id, l.checked_at, l.collected_at, l.source_date, {list_complete("l")} AS complete,
           {is_askable} AS is_always_askable
    FROM ({latest_attempts()}) l WHERE length(l.inn) = {PERSON_DIGITS} OR {is_askable}
)"""


def members() -> str:
    """CTE `members`: portfolios whose latest file lists an INN, and its name in a file, also of one that has left."""
    return """members AS (
    SELECT inn, coalesce(list(DISTINCT portfolio ORDER BY portfolio) FILTER (left_at IS NULL), []) AS portfolios,
           max_by(name, last_seen_at) AS name
    FROM lineage.portfolio_members GROUP BY inn
)"""


def years_since_registration(card: str = "") -> str:
    """An expression: years from the registration to today, or to the termination; `card`: a table alias with its dot.

    The age grows after a copy is made; it needs neither an extension nor the reader's time zone.
    """
    end = f"floor(coalesce(epoch({card}liquidation_date), epoch(now())) / 86400)"
    return f"round(({end} - epoch({card}registration_date) / 86400) / 365.25, 1)"


def address_key(column: str = "w.value") -> str:
    """An expression that normalises an address: no postal code, lower case, abbreviations, no punctuation."""
    key = f"regexp_replace(replace(lower(trim({column})), 'ё', 'е'), '^[0-9]{{6}}[ ,]*', '')"
    key = f"' ' || trim(regexp_replace({key}, '[^0-9a-zа-я/-]+', ' ', 'g')) || ' '"
    for word, short in ADDRESS_ABBREVIATIONS.items():
        key = f"replace({key}, {literal(f' {word} ')}, {literal(f' {short} ')})"
    return f"trim({key})"
