"""Store links again: those with an end among the INNs of which something is new, or whose contacts became common."""

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from functools import partial

from innspect.warehouse.database import Warehouse, next_load
from innspect.warehouse.ddl import LINK_TYPES, literal
from innspect.warehouse.latest import LATEST_TABLE, unanswered_calls
from innspect.warehouse.links.links_sql import LINK_BLOCKS, LINK_COLUMNS, fact_ctes, known_inns, link_ctes
from innspect.warehouse.links.stored_links import (
    ENDS_TABLE,
    FACT_TABLES,
    LINKS_TABLE,
    STATE_TABLE,
    content_query,
    facts_near,
)
from innspect.warehouse.load.replace import assess_in_bounds, commit_part
from innspect.warehouse.marts.fragments import MAX_SHARING_INNS

CHUNK_INNS = 20_000
"""INNs whose facts, and whose links, are stored by one statement: memory grows with them."""
CHANGED, ENDS = "temp.links_changed", "temp.links_ends"
"""INNs whose facts are stored again, and INNs whose links are: `inn`, `chunk`."""
OWN, DONE, RESPONSES = "temp.links_own", "temp.links_done", "temp.links_responses"
"""Views: INNs of the chunk, of the chunks before, and latest responses of the chunk."""
KEYS_BEFORE = "temp.links_keys_before"
"""Keys by which INNs in `CHANGED` were linked: `kind`, `key`, `inn`."""
OF_CHANGED = f"SEMI JOIN {CHANGED} USING (inn)"


def count_unstored(warehouse: Warehouse) -> int:
    """INNs whose links are computed when links are read; 0 if the stored links are valid."""
    content, state = _read_states(warehouse)
    if state and state[0] == content:
        return 0
    return int(warehouse.query(f"SELECT count(*) FROM ({known_inns()})").item())


def refresh_links(warehouse: Warehouse, commit: Callable[[], None] | None = None, chunk_inns: int = CHUNK_INNS) -> bool:
    """Store the links again that something new concerns; whether all stored links are valid now.

    False for a lake, which stores none. With `commit` in the transaction of the caller, which it ends to begin another
    one. If the process is killed between two transactions, the next refresh stores all links again.
    """
    return assess_in_bounds(warehouse, lambda: _refresh(warehouse, commit, chunk_inns), commit)


def _refresh(warehouse: Warehouse, commit: Callable[[], None] | None, chunk_inns: int) -> bool:
    if warehouse.is_shared:
        return False
    content, state = _read_states(warehouse)
    if state and state[0] == content:
        return True
    with nullcontext() if commit is not None else warehouse.transaction():
        refresh = _Refresh(warehouse, commit or partial(commit_part, warehouse), chunk_inns)
        refresh.store(content, state[1] if state else None)
    return True


def _read_states(warehouse: Warehouse) -> tuple[str, tuple[str, int] | None]:
    """What the warehouse contains; and what it contained, with how many snapshots, when all links were stored."""
    content = str(warehouse.query(content_query()).item())
    stored = warehouse.query(f"SELECT content, snapshots FROM {STATE_TABLE}").rows()
    return content, (str(stored[0][0]), int(stored[0][1])) if stored else None


class _Refresh:
    """One refresh, inside a transaction that `commit` ends to begin another one."""

    def __init__(self, warehouse: Warehouse, commit: Callable[[], None], chunk_inns: int) -> None:
        self.execute = warehouse.connection.execute
        self.query = warehouse.query
        self.commit = commit
        self.chunk_inns = chunk_inns

    def store(self, content: str, snapshots: int | None) -> None:
        """Store what changed since there were this many snapshots; None: all links."""
        # Until the last step nothing stored is valid, whatever is committed meanwhile.
        self.execute(f"DELETE FROM {STATE_TABLE}")
        if snapshots is None:
            for table in (LINKS_TABLE, ENDS_TABLE, *FACT_TABLES.values()):
                self.execute(f"DELETE FROM {table}")
            self._create_chunks(CHANGED, known_inns())
        else:
            self._create_chunks(CHANGED, _changed_inns(snapshots))
        self.execute(_create_table(KEYS_BEFORE, _keys(OF_CHANGED)))
        for table in FACT_TABLES.values():
            self.execute(f"DELETE FROM {table} WHERE inn IN (SELECT inn FROM {CHANGED})")
        for _ in self._chunks(CHANGED):
            self._store_facts()
        ends = f"SELECT inn FROM {CHANGED}"
        self._create_chunks(ENDS, ends if snapshots is None else f"{ends} UNION FROM ({_inns_of_crossing_keys()})")
        if snapshots is not None:
            of_ends = f"IN (SELECT inn FROM {ENDS})"
            self.execute(f"DELETE FROM {LINKS_TABLE} WHERE inn {of_ends} OR other_inn {of_ends}")
            self.execute(f"DELETE FROM {ENDS_TABLE} WHERE inn {of_ends}")
            self.execute(f"INSERT INTO {ENDS_TABLE} SELECT inn, {next_load()} FROM {ENDS}")
        else:
            self.execute(f"INSERT INTO {ENDS_TABLE} SELECT NULL, {next_load()}")
        columns = ", ".join(LINK_COLUMNS)
        links = f"WITH {facts_near(OWN)},\n{link_ctes('new_links', OWN, DONE)}\nSELECT {columns} FROM new_links"
        for _ in self._chunks(ENDS):
            self.execute(f"INSERT INTO {LINKS_TABLE} ({columns}) {links}")
        self.execute(f"INSERT INTO {STATE_TABLE} SELECT {literal(content)}, count(*) FROM lineage.snapshots")
        for table in (CHANGED, ENDS, KEYS_BEFORE):
            self.execute(f"DROP TABLE {table}")
        for view in (RESPONSES, OWN, DONE):
            self.execute(f"DROP VIEW IF EXISTS {view}")

    def _store_facts(self) -> None:
        """Store the facts of `OWN`."""
        ctes = fact_ctes(RESPONSES, f"SELECT inn FROM ({known_inns()}) SEMI JOIN {OWN} USING (inn)")
        for name, table in FACT_TABLES.items():
            columns = ", ".join(column for column in LINK_TYPES[table.split('"')[1]] if column != "basis")
            self.execute(f"INSERT INTO {table} ({columns}) WITH {ctes}\nSELECT {columns} FROM {name}")
        names = FACT_TABLES["names"]
        self.execute(
            f"UPDATE {names} n SET basis = b.basis FROM ({_bases()}) b WHERE b.inn = n.inn "
            f"AND n.inn IN (SELECT inn FROM {OWN})"
        )

    def _create_chunks(self, table: str, inns: str) -> None:
        query = (
            f"SELECT inn, (row_number() OVER (ORDER BY inn) - 1) // {self.chunk_inns} AS chunk "
            f"FROM (SELECT DISTINCT inn FROM ({inns}))"
        )
        self.execute(_create_table(table, query))

    def _chunks(self, table: str) -> Iterator[int]:
        """Make the views `OWN`, `DONE` and `RESPONSES` those of each chunk in turn; commit between two."""
        count = int(self.query(f"SELECT coalesce(max(chunk) + 1, 0) FROM {table}").item())
        for number in range(count):
            if number:
                self.commit()
            for view, query in (
                (OWN, f"SELECT inn FROM {table} WHERE chunk = {number}"),
                (DONE, f"SELECT inn FROM {table} WHERE chunk < {number}"),
                (RESPONSES, f"FROM {LATEST_TABLE} SEMI JOIN {OWN} USING (inn)"),
            ):
                self.execute(f"CREATE OR REPLACE TEMP VIEW {view.removeprefix('temp.')} AS {query}")
            yield number


def _create_table(name: str, query: str) -> str:
    return f"CREATE OR REPLACE TEMP TABLE {name.removeprefix('temp.')} AS {query}"


def _bases() -> str:
    """SQL of what the links of an INN rest on besides its snapshots: `inn`, `basis`; without a row for most INNs."""
    return f"""
    SELECT inn, hash(max_by(name, last_seen_at), bool_or(is_member), sum(call::HUGEINT)) AS basis
    FROM (SELECT inn, name, last_seen_at, left_at IS NULL AS is_member, NULL AS call FROM lineage.portfolio_members
          UNION ALL SELECT inn, NULL, NULL, false, hash(block, asked_at, state) FROM ({unanswered_calls()}))
    GROUP BY inn"""


def _changed_inns(snapshots: int) -> str:
    """SQL of the INNs with snapshots after this many, or with another basis; also of those no longer known.

    Of snapshots those that links rest on; an INN of which there are others only is known, and has a name.
    """
    blocks = f"({', '.join(map(literal, LINK_BLOCKS))})"
    names = f"SELECT inn, basis FROM {FACT_TABLES['names']} WHERE basis IS NOT NULL"
    return (
        f"SELECT inn FROM lineage.snapshots WHERE rowid >= {snapshots} AND block IN {blocks} "
        f"UNION (SELECT inn FROM lineage.snapshots WHERE rowid >= {snapshots} "
        f"EXCEPT SELECT inn FROM {FACT_TABLES['names']}) "
        f"UNION SELECT coalesce(b.inn, n.inn) FROM ({_bases()}) b FULL JOIN ({names}) n ON n.inn = b.inn "
        "WHERE b.basis IS DISTINCT FROM n.basis"
    )


def _keys(relation: str = "") -> str:
    """SQL of the keys that link INNs only while few have them: `kind`, `key`, `inn`; `relation`: a join with them."""
    values, persons = FACT_TABLES["contact_values"], FACT_TABLES["persons"]
    return (
        f"SELECT DISTINCT kind, key, inn FROM (SELECT kind, key, inn FROM {values} UNION ALL "
        f"SELECT 'name', name_key, inn FROM {persons} WHERE name_key IS NOT NULL) {relation}"
    )


def _inns_of_crossing_keys() -> str:
    """SQL of the INNs with a key of which too many INNs have come to have it, or no longer too many."""
    return f"""
    WITH now AS MATERIALIZED ({_keys(OF_CHANGED)}),
    moved AS MATERIALIZED (
        SELECT kind, key, sum(difference) AS difference
        FROM (SELECT *, 1 AS difference FROM (FROM now EXCEPT FROM {KEYS_BEFORE})
              UNION ALL SELECT *, -1 FROM (FROM {KEYS_BEFORE} EXCEPT FROM now))
        GROUP BY kind, key
    ),
    having_keys AS (
        SELECT *, count(*) OVER (PARTITION BY kind, key) AS inns FROM ({_keys("SEMI JOIN moved USING (kind, key)")})
    )
    SELECT h.inn FROM having_keys h JOIN moved m USING (kind, key)
    WHERE (h.inns > {MAX_SHARING_INNS}) <> (h.inns - m.difference > {MAX_SHARING_INNS})"""
