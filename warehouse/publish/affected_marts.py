"""Which marts may depend on what `publish.exclude` names: those whose SQL names an excluded column and its table.

The SQL of marts names each column that it reads. Which columns of an affected mart really depend on excluded data is
found by computing it with and without that, see `innspect.warehouse.publish.marts`.
"""

import re
from collections.abc import Iterator
from functools import cache

from innspect.schemas.lineage import LINEAGE
from innspect.warehouse.ddl import LATEST, UNANSWERED, UNANSWERED_COLUMNS, published_tables
from innspect.warehouse.marts.registry import (
    STORED_MARTS,
    STORED_RISK_MARTS,
    mart_dependencies,
    queries_over_stored_marts,
    queries_without_findings,
)
from innspect.warehouse.publish.exclude import Exclusion, excluded_of_latest, lineage_expressions
from innspect.warehouse.publish.inn_marts import USED_TABLE

COMMENT = re.compile(r"^\s*--.*$", re.MULTILINE)
WORD = re.compile(r"\w+")


@cache
def find_affected_marts(exclusion: Exclusion) -> frozenset[str]:
    """The marts that may depend on excluded data of the stored tables."""
    if not exclusion.affects_stored_tables():
        return frozenset()
    columns = list(_excluded_columns(exclusion))
    affected: set[str] = set()
    for name, words in _words_of_marts().items():
        of_stored = {mart for mart in STORED_MARTS.values() if mart in words} & affected
        if of_stored or any(words.issuperset(pair) for pair in columns):
            affected.add(name)
    return frozenset(affected)


def find_left_out(exclusion: Exclusion) -> frozenset[str]:
    """The affected marts that are left out as a whole, because they cannot be computed INN by INN.

    A level of risk that was judged without some of the data is no level of risk.
    """
    affected = find_affected_marts(exclusion)
    return frozenset(
        name for name in affected if name in STORED_RISK_MARTS or not mart_dependencies()[name].is_of_one_inn
    )


def find_unfollowed(exclusion: Exclusion) -> frozenset[str]:
    """The affected marts that excluded data may change without a new response about the INN, as that of members does.

    The copy cannot tell which INNs these are.
    """
    replaced = {("lineage", name) for name, table in LINEAGE.items() if not table.is_append_only}
    columns = frozenset(column for column in exclusion.columns if column[:2] in replaced)
    return find_affected_marts(Exclusion(exclusion.tables & replaced, columns))


def _excluded_columns(exclusion: Exclusion) -> Iterator[tuple[str, ...]]:
    """Tables and columns that the copy lacks, or has with other values; tables alone that it lacks."""
    for schema, name in published_tables():
        excluded = set(exclusion.excluded_columns(schema, name))
        if exclusion.excludes_table(schema, name):
            yield (f"{schema}.{name}",)
        elif schema == "lineage":
            excluded |= lineage_expressions(name, exclusion).keys()
        yield from ((f"{schema}.{name}", column) for column in excluded)
    yield from ((f"lineage.{LATEST}", column) for column in excluded_of_latest(exclusion))
    # That a call has no response is said of each block, whatever is published of the calls.
    of_calls = set(exclusion.excluded_columns("lineage", "calls"))
    yield from ((f"lineage.{UNANSWERED}", column.name) for column in UNANSWERED_COLUMNS if column.name in of_calls)


@cache
def _words_of_marts() -> dict[str, frozenset[str]]:
    """The words of the SQL of each mart, without comments, and the tables as `schema.name`, in the order of creation.

    A view of `current` has the columns of the table of `core`.
    """
    words: dict[str, frozenset[str]] = {}
    for name, query in queries_over_stored_marts().items():
        sql = COMMENT.sub("", queries_without_findings()[name] if name in STORED_RISK_MARTS else query)
        used = {f"{schema.replace('current', 'core')}.{table}" for schema, table in USED_TABLE.findall(sql)}
        words[name] = frozenset({*WORD.findall(sql), *used})
    return words
