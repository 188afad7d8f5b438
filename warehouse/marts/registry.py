"""The marts: one SQL file each in this package, with a comment on every column."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, partial
from importlib.resources import files

from innspect.schemas.change_severity import meaning_sql
from innspect.schemas.tables import tables
from innspect.warehouse.ddl import LATEST, identifier, literal
from innspect.warehouse.latest import latest_attempts
from innspect.warehouse.links.links_sql import live_links
from innspect.warehouse.links.stored_links import current_links
from innspect.warehouse.marts.fragments import (
    askable_blocks,
    askable_inns,
    block_states,
    block_states_of,
    fill_states,
    fill_words,
    list_complete,
    members,
    requested_of_persons,
    requested_states,
    years_since_registration,
)
from innspect.warehouse.marts.known_rows import FRAGMENTS as KNOWN_ROWS
from innspect.warehouse.marts.known_rows import fill_comments
from innspect.warehouse.news.news_sql import NEWS_FRAGMENTS
from innspect.warehouse.news.stored_news import NEWS_COLUMNS, current_news, live_news
from innspect.warehouse.risk.policy_sql import block_limit_ctes, exceeds_age_limit, policy_ctes, rule_texts
from innspect.warehouse.risk.signals import NOW, SELECTED, score_ctes, signal_ctes
from innspect.warehouse.risk.stored_risk import (
    SCORE_WITHOUT_TIME,
    current_scores,
    current_signals,
    stored_scores,
    stored_signals,
)

COMMENT = re.compile(r"^-- (?P<column>\w+): (?P<comment>.+)$")
DEPENDS_ON = re.compile(r"^-- depends on: (?P<words>.+)$", re.MULTILINE)
MOVES = re.compile(
    r"^-- moves with requests: (?:nothing|(?P<columns>\w+(?:, \w+)*) by (?P<keys>\w+(?:, \w+)*)"
    r"(?P<together>, of all blocks together)?)$",
    re.MULTILINE,
)
QUESTION = re.compile(r"^-- question it answers: (?P<words>.+\?)$", re.MULTILINE)
ORDER_PREFIX = re.compile(r"^\d+_")
CORE_TABLE = re.compile(r'\b(?:core|current)\."?(\w+)')
LINEAGE_TABLE = re.compile(r"\blineage\.(\w+)")
USED_TABLE = re.compile(r'\b(core|lineage|current)\."?(\w+)')
"""Schema and name of a table in the SQL of a mart."""
ROWS_OF_VERSIONS = {"versions", "kept_rows", LATEST}
"""Lineage tables whose rows about a block of an INN change only with its responses."""


def _live_blocks() -> str:
    """The states of the blocks of the INNs that are judged when they are read."""
    return block_states_of(SELECTED, latest_attempts(), NOW)


FRAGMENTS: Mapping[str, Callable[[], str]] = {
    "{askable_blocks}": askable_blocks,
    "{latest_attempts}": latest_attempts,
    "{requested_of_persons}": requested_of_persons,
    "{block_states}": block_states,
    "{requested_states}": requested_states,
    "{askable_inns}": askable_inns,
    "{policies}": policy_ctes,
    "{block_limits}": block_limit_ctes,
    "{exceeds_age_limit}": lambda: exceeds_age_limit("s", NOW, "b"),
    "{assessed_at}": lambda: NOW,
    "{rule_texts}": rule_texts,
    "{signals}": lambda: current_signals(_live_blocks()),
    "{scores}": lambda: current_scores(_live_blocks()),
    "{links}": current_links,
    "{change_meaning}": meaning_sql,
    "{age_years}": lambda: years_since_registration("c."),
    "{list_complete}": lambda: list_complete("s"),
    "{members}": members,
    **KNOWN_ROWS,
    "{news}": current_news,
    **NEWS_FRAGMENTS,
}
"""SQL of placeholders in mart files; placeholders of states are filled by `fill_states`."""
JUDGED: Mapping[str, Callable[[], str]] = {
    **FRAGMENTS,
    "{signals}": signal_ctes,
    "{scores}": score_ctes,
    "{links}": live_links,
    "{news}": live_news,
}
"""The placeholders where no risk, links or news are stored: all INNs are judged, from `lineage.findings`."""
EVALUATED: Mapping[str, Callable[[], str]] = {
    **FRAGMENTS,
    "{signals}": partial(signal_ctes, is_stored=False),
    "{scores}": partial(score_ctes, is_stored=False),
    "{links}": live_links,
    "{news}": live_news,
}
"""The placeholders where `lineage.findings` does not exist either: every rule is evaluated."""
PARTIES = "Parties of a case: mart.litigation has the names of the other side; these are rarely filled or very many."
STEPS = "Steps of a case, up to 20 each: rows for reading one case, not for a table of many INNs."
OWN_ROW = "The block's own row has no figure that its list does not have."
TABLES_WITHOUT_MART: Mapping[str, str] = {
    "company__tax_years": "Years with tax data: mart.taxes has the rows of these years.",
    "arbitration__cases__third_parties": PARTIES,
    "arbitration__cases__other_parties": PARTIES,
    "arbitration__cases__plaintiff_inns": PARTIES,
    "arbitration__cases__respondent_inns": PARTIES,
    "arbitration__cases__instances": STEPS,
    "arbitration__cases__instances__events": STEPS,
    "arbitration__cases__movements": STEPS,
    "general_courts__cases__third_parties": PARTIES,
    "general_courts__cases__other_parties": PARTIES,
    "general_courts__cases__parties_detail": PARTIES,
    "general_courts__cases__movements": STEPS,
    "contracts__contracts__products": "Positions of a contract, rarely given; mart.state_contracts has one code.",
    "contracts__by_year": "Sums of mart.state_contracts by year, as the service adds them.",
    "risk_flags__okved_list": "The activities of the card again, without the mark of the main one.",
    "timeline": OWN_ROW,
    "leasing": OWN_ROW,
    "founded_companies": OWN_ROW,
    "contacts": OWN_ROW,
}
"""Tables of `core` that no mart reads, and why; the schema `current` has them."""
STORED_MARTS: Mapping[str, str] = {"{scores}": "risk_score"}
"""Placeholders whose rows are those of a mart: later marts read that mart instead."""
STORED_RISK_MARTS = ("risk_signals", "risk_score")
"""The marts that show the stored risk."""


class Dependency(StrEnum):
    """What the rows of a mart depend on, as the line `-- depends on: …` of its file declares."""

    INN = "inn"
    """Rows of an INN only on what is stored about that INN."""
    INN_AND_DAY = "inn, day"
    """Rows of an INN on what is stored about that INN, on its row in `STORED_MARTS`, and on the moment of reading."""
    INN_AND_ASSESSMENTS = "inn, assessments"
    """Rows of an INN on what is stored about that INN, and on the assessments of it."""
    RUNS = "runs"
    """Rows of a run only on its calls and what they returned, and on the run itself."""
    INNS = "inns"
    """Rows on what is stored about INNs, also about others, and on nothing else."""
    ALL = "all"
    """Rows also on what is stored about no INN, or on the moment of reading."""

    @property
    def is_of_one_inn(self) -> bool:
        """Whether rows of an INN can be computed without the rows of others."""
        return self not in (Dependency.RUNS, Dependency.INNS, Dependency.ALL)


def mart_files() -> list[str]:
    """File names in the order of creation: a numeric prefix puts a mart after those that it builds on."""
    return sorted(file.name for file in files("innspect.warehouse.marts").iterdir() if file.name.endswith(".sql"))


@cache
def mart_sources() -> tuple[tuple[str, str], ...]:
    """Name and SQL of each mart."""
    folder = files("innspect.warehouse.marts")
    return tuple(
        (ORDER_PREFIX.sub("", file.removesuffix(".sql")), fill_comments(folder.joinpath(file).read_text("utf-8")))
        for file in mart_files()
    )


@cache
def mart_comments() -> Mapping[str, tuple[str, Mapping[str, str]]]:
    """The comment of each mart (its first line) and of its columns (the lines `-- column: …`)."""
    comments: dict[str, tuple[str, dict[str, str]]] = {}
    for name, source in mart_sources():
        first, *lines = fill_words(source).splitlines()
        columns = {match["column"]: match["comment"] for line in lines if (match := COMMENT.match(line))}
        comments[name] = (first.removeprefix("-- "), columns)
    return comments


def mart_questions() -> dict[str, str]:
    """The question that each mart answers. Raises ValueError for a file without one."""
    questions: dict[str, str] = {}
    for name, source in mart_sources():
        declared = QUESTION.search(source)
        if declared is None:
            raise ValueError(f"The mart {name} does not declare the question that it answers.")
        questions[name] = declared["words"]
    return questions


@cache
def mart_dependencies() -> Mapping[str, Dependency]:
    """What each mart depends on. Raises ValueError for a file without a valid declaration."""
    dependencies: dict[str, Dependency] = {}
    for name, source in mart_sources():
        declared = DEPENDS_ON.search(source)
        if declared is None:
            raise ValueError(f"The mart {name} does not declare what it depends on.")
        dependencies[name] = Dependency(declared["words"])
    return dependencies


@dataclass(frozen=True, slots=True)
class MovingColumns:
    """Columns of a mart that a response without news changes, and those that say which responses they are of.

    `are_together`: only if the responses of all blocks that the mart reads moved to the same time; otherwise its rows
    may differ in another way.
    """

    columns: tuple[str, ...]
    keys: tuple[str, ...]
    are_together: bool = False


@cache
def mart_moving_columns() -> Mapping[str, MovingColumns]:
    """What a response without news changes, of the marts that declare it (`-- moves with requests: …`).

    A response is without news if it shows the known version again, complete and in the same state. Rows of a mart that
    is not listed may change in another way.
    """
    moving: dict[str, MovingColumns] = {}
    for name, source in mart_sources():
        if declared := MOVES.search(source):
            columns, keys = (
                tuple(declared[part].split(", ")) if declared[part] else () for part in ("columns", "keys")
            )
            moving[name] = MovingColumns(columns, keys, declared["together"] is not None)
    return moving


@cache
def marts_with_risk_or_links() -> frozenset[str]:
    """The marts that show signals, levels or links, which are computed for INNs where the stored ones are not valid."""
    placeholders = ("{signals}", "{scores}", "{links}")
    return frozenset(name for name, source in mart_sources() if any(stored in source for stored in placeholders))


@cache
def mart_blocks() -> Mapping[str, frozenset[str]]:
    """The blocks whose responses about an INN decide its rows, besides its name, of marts of single blocks.

    They are those of the tables that the mart reads. A mart that is not listed may depend on any block.
    """
    blocks: dict[str, frozenset[str]] = {}
    for name, source in mart_sources():
        sql = "\n".join(line for line in source.splitlines() if not line.startswith("--"))
        reads_evidence = any(placeholder in sql for placeholder in ("{evidence}", "{requested_states}"))
        lineage = set(LINEAGE_TABLE.findall(sql)) - ROWS_OF_VERSIONS
        if mart_dependencies()[name] is Dependency.INN and reads_evidence and not lineage and "{news" not in sql:
            blocks[name] = frozenset(tables()[table].block for table in CORE_TABLE.findall(sql))
    return blocks


@cache
def mart_queries(*, is_shared: bool = False) -> Mapping[str, str]:
    """The query of each mart of a warehouse, in the order of creation; `is_shared`: a lake, which stores no risk."""
    if is_shared:
        return {name: _fill_placeholders(source, JUDGED) for name, source in mart_sources()}
    of_others = {**FRAGMENTS, "{scores}": lambda: current_scores(_live_blocks(), SCORE_WITHOUT_TIME)}
    return {
        name: _fill_placeholders(source, FRAGMENTS if name in STORED_RISK_MARTS else of_others)
        for name, source in mart_sources()
    }


@cache
def queries_over_stored_marts() -> Mapping[str, str]:
    """The queries of a database in which earlier marts are tables, and no risk is stored besides."""
    queries: dict[str, str] = {}
    for name, source in mart_sources():
        sql = source
        for placeholder, mart in STORED_MARTS.items():
            if mart != name:
                sql = sql.replace(placeholder, f"{placeholder[1:-1]} AS (SELECT * FROM mart.{mart})")
        queries[name] = _fill_placeholders(sql, JUDGED)
    return queries


@cache
def queries_without_findings() -> Mapping[str, str]:
    """The queries that evaluate every rule: they read neither stored risk nor `lineage.findings`."""
    return {name: _fill_placeholders(source, EVALUATED) for name, source in mart_sources()}


def queries_of_stored_risk(moment: str, inns: str = "") -> Mapping[str, str]:
    """The queries of `STORED_RISK_MARTS` where the stored risk is valid at the moment (an SQL timestamp).

    `inns`: a relation of the INNs whose rows are wanted, if not all are.
    """
    stored = {"{signals}": lambda: stored_signals(moment, inns), "{scores}": lambda: stored_scores(moment, inns)}
    return {
        name: _fill_placeholders(source, {**FRAGMENTS, **stored})
        for name, source in mart_sources()
        if name in STORED_RISK_MARTS
    }


def news_query(condition: str, *, is_shared: bool) -> str:
    """The query of the rows of `mart.news` that fulfil a condition, which holds for all changes of a response or none.

    `is_shared`: a lake, which stores no news: sentences are made of these changes only.
    """
    if not is_shared:
        return f"SELECT * FROM mart.news WHERE {condition}"
    changes = f"(SELECT * FROM lineage.changes WHERE {condition})"
    source = dict(mart_sources())["news"].replace("{news}", live_news(changes))
    return f"SELECT * FROM ({_fill_placeholders(source, JUDGED)})"


def query_of_stored_news(news: str) -> str:
    """The query of `mart.news` from a relation of rows of `lineage._news`."""
    return _fill_placeholders(dict(mart_sources())["news"].replace("{news}", f"news AS (FROM {news})"), JUDGED)


def computed_news(changes: str) -> str:
    """The query of the rows of `lineage._news`, computed from a query of changes."""
    return _fill_placeholders(f"WITH {live_news(f'({changes})')}\nSELECT {NEWS_COLUMNS} FROM news", NEWS_FRAGMENTS)


def _fill_placeholders(sql: str, fragments: Mapping[str, Callable[[], str]]) -> str:
    for placeholder, fragment in fragments.items():
        if placeholder in sql:
            sql = sql.replace(placeholder, fragment())
    return fill_states(sql)


def mart_statements(*, is_shared: bool = False) -> Iterator[str]:
    """The statements that create every mart as a view, with its comments; `is_shared`: in a lake."""
    for name, query in mart_queries(is_shared=is_shared).items():
        yield f"CREATE OR REPLACE VIEW mart.{identifier(name)} AS {query}"
    for name, (comment, columns) in mart_comments().items():
        yield f"COMMENT ON VIEW mart.{identifier(name)} IS {literal(comment)}"
        for column, meaning in columns.items():
            yield f"COMMENT ON COLUMN mart.{identifier(name)}.{identifier(column)} IS {literal(meaning)}"
