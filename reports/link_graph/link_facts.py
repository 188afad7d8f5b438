"""Read what connects an INN with people, companies and values: one fact per pair and role."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from innspect.warehouse.database import Warehouse
from innspect.warehouse.marts.fragments import address_key
from innspect.warehouse.publish.reader import PublishedCopy

FOUNDER, FOUNDED, LINKED = "founder", "founded company", "linked company"
VALUE_KINDS = ("address", "phone", "email")
ROLE_OF = re.compile(r"([a-z]+(?: and [a-z]+)*) of (\d{10,12})")
"""The roles of a person in `mart.links.via`: `Name: director and founder of INN, founder of INN`."""
LINKS_TABLE = "link_graph_links"

LINK_FACTS = """
SELECT inn, other_inn, kind, via, via_inn, name, other_name, shared, matched_by, confirmed, complete,
       version_id IS NOT NULL AS is_named_by_first,
       CASE kind WHEN 'phone' THEN right(regexp_replace(via, '[^0-9]', '', 'g'), 10)
                 WHEN 'email' THEN lower(trim(via)) WHEN 'address' THEN {address_key} END AS value_key
FROM {links}
WHERE {condition} AND NOT (shared AND matched_by = 'inn')
ORDER BY inn, other_inn, kind, via
"""
TOUCHES = "(inn IN (SELECT unnest($inns::VARCHAR[])) OR other_inn IN (SELECT unnest($inns::VARCHAR[])))"
WITHIN = "inn IN (SELECT unnest($inns::VARCHAR[])) AND other_inn IN (SELECT unnest($inns::VARCHAR[]))"


@dataclass(frozen=True, slots=True)
class LinkFact:
    """One role between two nodes, from the holder of the role to the company that it is held in.

    `is_directed`: false where the order says nothing. `is_certain`: false if only a name matches. `is_current`: false
    if it is former, or if the latest response does not confirm it. `is_complete`: false if there may be more of these.
    """

    source: str
    target: str
    role: str
    is_directed: bool
    is_certain: bool
    is_current: bool
    is_complete: bool
    share_pct: float | None = None


@dataclass(frozen=True, slots=True)
class LinkFacts:
    """Facts, and the names of the nodes in them."""

    facts: list[LinkFact]
    names: dict[str, str]


def name_node(name: str) -> str:
    """The id of a node that is known by its name only; names that differ in case or `Ё` are one node."""
    return "name:" + re.sub(" +", " ", name.upper().replace("Ё", "Е").strip())


def is_inn(node: str) -> bool:
    """Whether a node id is an INN."""
    return node.isdigit()


def is_value(node: str) -> bool:
    """Whether a node id is that of an address, a phone or an e-mail."""
    return node.partition(":")[0] in VALUE_KINDS


class LinkReader:
    """Reads facts of `mart.links`; in a warehouse, where the mart is a view, its rows are computed once."""

    def __init__(self, source: Warehouse | PublishedCopy) -> None:
        self.source = source
        self.links = "mart.links"
        if isinstance(source, Warehouse):
            source.connection.execute(f"CREATE OR REPLACE TEMP TABLE {LINKS_TABLE} AS SELECT * FROM mart.links")
            self.links = f"temp.{LINKS_TABLE}"

    def close(self) -> None:
        """Drop what was computed."""
        if isinstance(self.source, Warehouse):
            self.source.connection.execute(f"DROP TABLE IF EXISTS temp.{LINKS_TABLE}")

    def read_around(self, inns: Sequence[str]) -> LinkFacts:
        """The facts in which at least one of these INNs takes part."""
        return self._read(TOUCHES, inns)

    def read_among(self, inns: Sequence[str]) -> LinkFacts:
        """The facts between these INNs, and of what two of them share."""
        return self._read(WITHIN, inns)

    def _read(self, condition: str, inns: Sequence[str]) -> LinkFacts:
        query = LINK_FACTS.format(links=self.links, condition=condition, address_key=address_key("via"))
        return link_facts(self.source.query(query, {"inns": list(inns)}).to_dicts())


def link_facts(rows: Iterable[Mapping[str, Any]]) -> LinkFacts:
    """The facts of rows of `mart.links` with their `value_key` and `is_named_by_first`."""
    facts: list[LinkFact] = []
    names: dict[str, str] = {}
    for row in rows:
        for inn, name in ((row["inn"], row["name"]), (row["other_inn"], row["other_name"])):
            if name:
                names.setdefault(inn, name)
        if not row["shared"]:
            facts.append(_named_fact(row))
        elif row["matched_by"] == "name":
            name = str(row["via"]).partition(": ")[0]
            holder = row["via_inn"] or name_node(name)
            names.setdefault(holder, name)
            facts += [
                _fact(row, holder, inn, role, is_directed=True)
                for roles, inn in ROLE_OF.findall(row["via"])
                if inn in (row["inn"], row["other_inn"])
                for role in roles.split(" and ")
            ]
        else:
            value = f"{row['kind']}:{row['value_key']}"
            names.setdefault(value, row["via"])
            facts += [_fact(row, value, inn, row["kind"], is_directed=False) for inn in (row["inn"], row["other_inn"])]
    return LinkFacts(facts, names)


def _named_fact(row: Mapping[str, Any]) -> LinkFact:
    """The fact of a row in which one end names the other."""
    ends = (row["inn"], row["other_inn"])
    naming, named = ends if row["is_named_by_first"] else ends[::-1]
    if row["kind"] == FOUNDED:
        return _fact(row, naming, named, FOUNDER, is_directed=True)
    if row["kind"] == LINKED:
        return _fact(row, min(ends), max(ends), LINKED, is_directed=False)
    return _fact(row, named, naming, row["kind"], is_directed=True)


def _fact(row: Mapping[str, Any], source: str, target: str, role: str, *, is_directed: bool) -> LinkFact:
    return LinkFact(
        source, target, role, is_directed, row["matched_by"] != "name", bool(row["confirmed"]), bool(row["complete"])
    )
