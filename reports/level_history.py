"""Who got worse: levels of INNs over a period, from mart.risk_history; for the report, the dashboard and commands."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from enum import StrEnum
from typing import Any

from innspect.reports.i18n.catalog import ENGLISH, Translations
from innspect.reports.level_text import known_level, possible_levels
from innspect.schemas.states import RANKED_LEVELS, CallState, Level, sql_list
from innspect.warehouse.database import Warehouse
from innspect.warehouse.ddl import literal
from innspect.warehouse.risk.policy_sql import RULE_BLOCKS

RANKS = [str(level) for level in RANKED_LEVELS]


class Movement(StrEnum):
    """Between the level before a period, or the first level if that is in it, and the last one in it."""

    WORSE = "worse"
    BETTER = "better"
    UNKNOWN = "unknown"
    KNOWN = "known"
    SAME = "same"
    FIRST = "first"


SENT = (CallState.SETTLED, CallState.FREE, CallState.UNKNOWN)
"""States of calls that were sent, whether a response came or not."""
MOVEMENTS = (Movement.WORSE, Movement.BETTER, Movement.UNKNOWN, Movement.KNOWN)
"""Movements whose members are listed, in that order; of the others only the number is shown."""
TITLES = """SELECT signal, {'title': any_value(title), 'title_ru': any_value(title_ru)} AS titles,
                              max(weight) AS weight FROM mart.risk_rules GROUP BY signal"""
KNOWN_PART_THEN = f"""CASE WHEN EXISTS (
                    FROM (SELECT arg_max(s.version_id IS NOT NULL, (s.asked_at, s.snapshot_id)) AS is_answered
                          FROM lineage.snapshots s
                          WHERE s.inn = h.inn AND s.asked_at <= h.assessed_at
                                AND s.block IN ({", ".join(map(literal, RULE_BLOCKS))})
                                AND NOT list_contains(h.unknown_blocks, s.block)
                                AND NOT EXISTS (FROM lineage.calls c WHERE c.inn = s.inn AND c.method = s.method
                                                AND c.state = '{CallState.UNKNOWN}' AND c.reserved_at > s.asked_at
                                                AND c.reserved_at <= h.assessed_at)
                          GROUP BY s.block)
                    WHERE is_answered) THEN 'some' ELSE 'none' END"""
"""SQL: whether another block had answered at an assessment, in the words of `known_part`; `h`: of mart.risk_history.

Of what was not in `unknown_blocks` then, it is not stored whether all was known.
"""
MOVEMENT_ORDER = f"list_position({list(map(str, MOVEMENTS))}, movement), place"


def level_movements(scope: str, since: str) -> str:
    """SQL of one row per INN of `scope` (a condition on mart.risk_history) with a change at or after `since`.

    `movement` and `place` in it; level and score before the period and since the last change; the signals that
    `appeared` and `disappeared` (structs of `title` and `title_ru`); `unknown_blocks`, `assessed_at` (UTC) and `run_id`
    of the last change. `MOVEMENT_ORDER` orders the rows.
    """
    return f"""
            WITH period AS (SELECT * FROM mart.risk_history WHERE {scope} AND assessed_at >= {since}),
            ends AS (
                SELECT inn, any_value(name) AS name, bool_and(change = 'first') AS is_first,
                       arg_min({{'level': coalesce(level_before, level), 'score': coalesce(score_before, score)}},
                               (assessed_at, run_id)) AS past,
                       arg_max({{'level': level, 'score': score, 'known': level_known, 'at_most': level_at_most,
                                'blocks': unknown_blocks}}, (assessed_at, run_id)) AS latest,
                       max(assessed_at) AS assessed_at, arg_max(run_id, (assessed_at, run_id)) AS run_id
                FROM period GROUP BY inn
            ),
            moved AS (
                SELECT inn, signal, arg_max(is_present, (assessed_at, run_id, is_present)) AS is_present
                FROM (SELECT inn, assessed_at, run_id, unnest(appeared) AS signal, true AS is_present FROM period
                      WHERE change <> 'first'
                      UNION ALL
                      SELECT inn, assessed_at, run_id, unnest(disappeared), false FROM period)
                GROUP BY inn, signal
            ),
            titles AS ({TITLES}),
            -- Only these levels are shown with what the other blocks say.
            parts AS (
                SELECT inn, {KNOWN_PART_THEN} AS known_part
                FROM (SELECT inn, assessed_at, latest.blocks AS unknown_blocks FROM ends
                      WHERE latest.level = '{Level.UNKNOWN}') h
            ),
            signals AS (
                SELECT inn, list(titles ORDER BY weight DESC, signal) FILTER (is_present) AS appeared,
                       list(titles ORDER BY weight DESC, signal) FILTER (NOT is_present) AS disappeared
                FROM moved JOIN titles USING (signal) GROUP BY inn
            )
            SELECT inn, name,
                   CASE WHEN is_first THEN '{Movement.FIRST}' WHEN past.level = latest.level THEN '{Movement.SAME}'
                        WHEN latest.level = '{Level.UNKNOWN}' THEN '{Movement.UNKNOWN}'
                        WHEN past.level = '{Level.UNKNOWN}' THEN '{Movement.KNOWN}'
                        WHEN list_position({RANKS}, latest.level) > list_position({RANKS}, past.level)
                        THEN '{Movement.WORSE}' ELSE '{Movement.BETTER}' END AS movement,
                   past.level AS level_before, latest.level AS level, latest.known AS level_known,
                   latest.at_most AS level_at_most, known_part, past.score AS score_before, latest.score AS score,
                   coalesce(appeared, []) AS appeared, coalesce(disappeared, []) AS disappeared,
                   latest.blocks AS unknown_blocks, assessed_at, run_id,
                   row_number() OVER (PARTITION BY movement ORDER BY list_position({RANKS}, latest.known) DESC,
                                      latest.score DESC, inn) AS place
            FROM ends LEFT JOIN signals USING (inn) LEFT JOIN parts USING (inn)"""


def level_history(scope: str) -> str:
    """SQL of mart.risk_history for a condition on it, latest first; signals are structs of `title` and `title_ru`."""
    titles = ", ".join(
        f"list_transform({column}, lambda name: coalesce(words[name], {{'title': name, 'title_ru': name}})) AS {column}"
        for column in ("appeared", "disappeared")
    )
    return f"""
            WITH titles AS ({TITLES}), words AS (SELECT map(list(signal), list(titles)) AS words FROM titles)
            SELECT h.* REPLACE ({titles}), {KNOWN_PART_THEN} AS known_part FROM mart.risk_history h, words
            WHERE {scope} ORDER BY assessed_at DESC, run_id DESC"""


def requested_inns(since: str) -> str:
    """SQL of the INNs that were requested at or after `since`, answered or not."""
    return f"""SELECT inn FROM lineage.responses WHERE asked_at >= {since}
                    UNION SELECT inn FROM lineage.calls
                    WHERE state IN {sql_list(SENT)} AND reserved_at >= {since}"""


def count_movements(movements: str, members: str, since: str) -> str:
    """SQL of one row: how many moved each way, and how many of `members` (a subquery) were requested again.

    `movements` is the SQL of `level_movements`.
    """
    counts = ", ".join(f"count(*) FILTER (movement = '{movement}') AS {movement}" for movement in Movement)
    return f"""SELECT {counts},
                   (SELECT count(*) FROM ({requested_inns(since)}) WHERE inn IN ({members})) AS requested
            FROM ({movements}
            )"""


def signal_titles(signals: Sequence[Mapping[str, str]], t: Translations) -> str:
    """The titles of `appeared` or `disappeared`."""
    return ", ".join(signal["title_ru" if t.language == "ru" else "title"] for signal in signals)


def find_movements(
    warehouse: Warehouse, since: datetime, portfolio: str | None
) -> tuple[dict[str, int], list[dict[str, Any]]]:
    """The counts of `count_movements` and the rows of `MOVEMENTS`, of one portfolio or of all; `since` is UTC."""
    movements = level_movements("($portfolio IS NULL OR list_contains(portfolios, $portfolio))", "$since")
    members = (
        "SELECT inn FROM lineage.portfolio_members "
        "WHERE left_at IS NULL AND ($portfolio IS NULL OR portfolio = $portfolio)"
    )
    parameters = {"portfolio": portfolio, "since": since}
    counts = warehouse.query(count_movements(movements, members, "$since"), parameters).row(0, named=True)
    listed = f"FROM ({movements}) WHERE movement IN {sql_list(MOVEMENTS)} ORDER BY {MOVEMENT_ORDER}"
    return counts, warehouse.query(listed, parameters).to_dicts()


def past_level_remark(row: Mapping[str, Any], t: Translations) -> str:
    """What was not known when a level of mart.risk_history was judged, in words."""
    blocks = [t.label("block", block) for block in row["unknown_blocks"]]
    # It is not stored which of them was stale, and which was not confirmed.
    return "; ".join([*([t("unknown.no_answer", block=", ".join(blocks))] if blocks else []), *possible_levels(row, t)])


def level_line(row: Mapping[str, Any], t: Translations = ENGLISH, titles: Mapping[str, str] | None = None) -> str:
    """A row of mart.risk_history or of `level_movements` as a line: day, levels, what was not known, signals, run.

    `titles` are those of signals that the row gives by name.
    """
    level = t.label("level", row["level"])
    parts = [f"{t.label('level', row['level_before'])} -> {level}" if row["level_before"] else level]
    if row["unknown_blocks"]:
        blocks = row["unknown_blocks"]
        names = blocks if t.language == "en" else [t.label("block", block) for block in blocks]
        parts.append(t("command.unknown", blocks=", ".join(names)))
    parts += known_level(row, t)
    if row["level_at_most"] != row["level"]:
        parts.append(t("unknown.at_most", level=t.label("level", row["level_at_most"])))
    score = str(row["score"]) if row["score_before"] is None else f"{row['score_before']} -> {row['score']}"
    parts.append(t("command.score", score=score))
    parts += [
        t(key, signals=", ".join(_signal_name(signal, t, titles or {}) for signal in row[column]))
        for column, key in (("appeared", "dossier.history.appeared"), ("disappeared", "dossier.history.disappeared"))
        if row[column]
    ]
    return f"{t.date(row['assessed_at'])} {'; '.join(parts)} {t('command.run', run=row['run_id'])}"


def _signal_name(signal: str | Mapping[str, str], t: Translations, titles: Mapping[str, str]) -> str:
    if isinstance(signal, str):
        return titles.get(signal, signal)
    return signal["title_ru" if t.language == "ru" else "title"]
