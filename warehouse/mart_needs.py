"""What each mart rests on: tables, other marts, the day, the moment. Read from its SQL, which names every schema."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from graphlib import TopologicalSorter

from schemas.tables import tables
from warehouse.ddl import LATEST
from warehouse.mart_files import mart_queries

NAMED = re.compile(r'\b(core|current|lineage|mart)\."?(\w+)"?')
LITERAL, COMMENT = re.compile(r"'(?:[^']|'')*'"), re.compile(r"--.*")
TODAY = "(now() AT TIME ZONE 'UTC')::DATE"
AGE = re.compile(r"date_diff\('second', (\w+\.)?checked_at, \(now\(\) AT TIME ZONE 'UTC'\)\) / 86400\.0 AS age_days\b")
CLOCK = re.compile(
    r"\b(now|today|age|random|uuid\w*|gen_random_uuid|nextval|transaction_timestamp)\s*\("
    r"|current_(date|time|timestamp|localtime|localtimestamp)\b|localtime(stamp)?\b",
    re.IGNORECASE,
)
"""Whatever gives another value at another moment."""
MEMBERS = ("lineage", "portfolio_members")
SIGHT = ("lineage", "portfolio_members.last_seen_at")
"""When a member was last seen moves on with every run: to most marts only matters which row of an INN is the newest."""
ONLY_INNS = re.compile(r"SELECT inn FROM lineage\.portfolio_members\b")
OF_VERSIONS = re.compile(r"v\.last_seen_at AS ended_at\b")
"""The same name in `lineage.versions`."""
NEWEST = re.compile(r"(arg_max|max_by)\(\w+, last_seen_at\)")


@dataclass(frozen=True, slots=True)
class Needs:
    """What the rows of a mart depend on, by way of other marts too.

    `tables` are stored ones, as schema and name. `age`: it has a column `age_days` up to now and asks for the moment
    nowhere else; `moment`: it does.
    """

    tables: frozenset[tuple[str, str]]
    marts: frozenset[str]
    day: bool
    age: bool
    moment: bool


@cache
def mart_needs() -> Mapping[str, Needs]:
    """The needs of each mart, those first on which others rest."""
    queries = mart_queries()
    direct = {name: _direct(query) for name, query in queries.items()}
    order = TopologicalSorter({name: sorted(needs.marts) for name, needs in direct.items()}).static_order()
    found: dict[str, Needs] = {}
    for name in order:
        own = direct[name]
        below = [found[mart] for mart in sorted(own.marts)]
        found[name] = Needs(
            own.tables.union(*(one.tables for one in below)),
            own.marts.union(*(one.marts for one in below)),
            own.day or any(one.day for one in below),
            own.age,
            # The age of another mart is of a moment as well, where it is read.
            own.moment or any(one.moment or (one.age and "age_days" in queries[name]) for one in below),
        )
    return found


def _direct(query: str) -> Needs:
    named = {(schema, name) for schema, name in NAMED.findall(query)}
    stored = {("core", name) for schema, name in named if schema in ("core", "current") and name in tables()}
    stored |= {(schema, name) for schema, name in named if schema == "lineage"}
    if ("lineage", LATEST) in named or any(schema == "current" for schema, _ in named):
        # The table of the latest is worked out from the snapshots.
        stored = stored - {("lineage", LATEST)} | {("lineage", "snapshots")}
    rest_of_sight = OF_VERSIONS.sub("", NEWEST.sub("", query))
    if "lineage.portfolio_members" in ONLY_INNS.sub("", query) and "last_seen_at" in rest_of_sight:
        stored.add(SIGHT)
    rest = AGE.sub("", query)
    words = COMMENT.sub("", LITERAL.sub("", rest.replace(TODAY, "")))
    return Needs(
        frozenset(stored),
        frozenset(name for schema, name in named if schema == "mart"),
        TODAY in rest,
        rest != query,
        bool(CLOCK.search(words)),
    )
