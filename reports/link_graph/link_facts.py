"""Read what connects an INN with people, companies and values: one fact per pair and role."""

import re
from collections import defaultdict
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
FULL_NAME = re.compile(r"[А-ЯЁа-яё-]+( +[А-ЯЁа-яё-]+){2,3}")
"""A name by which people of two companies are compared; shorter ones are those of many."""
MARTS = ("links", "people")

LINK_FACTS = """
SELECT inn, other_inn, kind, via, via_inn, name, other_name, shared, matched_by, confirmed, complete,
       version_id IS NOT NULL AS is_named_by_first,
       CASE kind WHEN 'phone' THEN right(regexp_replace(via, '[^0-9]', '', 'g'), 10)
                 WHEN 'email' THEN lower(trim(via)) WHEN 'address' THEN {address_key} END AS value_key
FROM {schema}links
WHERE {condition} AND NOT (shared AND matched_by = 'inn')
ORDER BY inn, other_inn, kind, via
"""
PEOPLE_FACTS = """
SELECT inn, name, role, person_name, person_inn, share_pct, current AND confirmed AS is_current, complete
FROM {schema}people WHERE {condition} ORDER BY inn, role, person_inn, person_name
"""
IS_GIVEN = "IN (SELECT unnest($inns::VARCHAR[]))"


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
    """Reads facts of `mart.links` and `mart.people`; in a warehouse, where these are views, they are computed once."""

    def __init__(self, source: Warehouse | PublishedCopy) -> None:
        self.source = source
        self.schema = "mart."
        self.inns_of_name: defaultdict[str, set[str]] = defaultdict(set)
        """Of names without an INN: the INNs that people of that name have in other companies."""
        if isinstance(source, Warehouse):
            self.schema = "temp.link_graph_"
            for mart in MARTS:
                source.create_temp_table(f"{self.schema}{mart}", f"FROM mart.{mart}")

    def close(self) -> None:
        """Drop what was computed."""
        if isinstance(self.source, Warehouse):
            for mart in MARTS:
                self.source.connection.execute(f"DROP TABLE IF EXISTS {self.schema}{mart}")

    def read_around(self, inns: Sequence[str]) -> LinkFacts:
        """The facts in which at least one of these INNs takes part."""
        return self._read("OR", inns)

    def read_among(self, inns: Sequence[str]) -> LinkFacts:
        """The facts between these INNs, and of what two of them share."""
        return self._read("AND", inns)

    def _read(self, word: str, inns: Sequence[str]) -> LinkFacts:
        """The facts of which one end, `word`: OR, or both, AND, are among the INNs; a name is at any end."""
        links = LINK_FACTS.format(
            schema=self.schema,
            condition=f"(inn {IS_GIVEN} {word} other_inn {IS_GIVEN})",
            address_key=address_key("via"),
        )
        or_name = "OR person_inn IS NULL" if word == "AND" else ""
        people = PEOPLE_FACTS.format(
            schema=self.schema, condition=f"(inn {IS_GIVEN} {word} (person_inn {IS_GIVEN} {or_name}))"
        )
        given = {"inns": list(inns)}
        found = self._link_facts(self.source.query(links, given).to_dicts())
        people_facts = self._people_facts(self.source.query(people, given).to_dicts())
        return LinkFacts(found.facts + people_facts.facts, {**people_facts.names, **found.names})

    def _people_facts(self, rows: Iterable[Mapping[str, Any]]) -> LinkFacts:
        """The facts of rows of `mart.people`: their shares, who was there before, and people without an INN."""
        facts: list[LinkFact] = []
        names: dict[str, str] = {}
        for row in rows:
            holder = row["person_inn"] or self._holder_of_name(row["person_name"], row["inn"])
            if holder == row["inn"]:
                continue
            if row["person_name"]:
                names.setdefault(holder, row["person_name"])
            is_certain = row["person_inn"] is not None
            current, complete = bool(row["is_current"]), bool(row["complete"])
            share = None if row["share_pct"] is None else float(row["share_pct"])
            facts.append(LinkFact(holder, row["inn"], row["role"], True, is_certain, current, complete, share))
        return LinkFacts(facts, names)

    def _holder_of_name(self, name: str, inn: str) -> str:
        """The node of a person without an INN: one INN of that name, if `mart.links` compares them, else the name."""
        node = name_node(name)
        if FULL_NAME.fullmatch(name.strip()) is None:
            return f"{node}@{inn}"
        inns = self.inns_of_name[node]
        return next(iter(inns)) if len(inns) == 1 else node

    def _link_facts(self, rows: Sequence[Mapping[str, Any]]) -> LinkFacts:
        """The facts of rows of `mart.links`."""
        for row in rows:
            if row["matched_by"] == "name" and row["via_inn"]:
                self.inns_of_name[name_node(_name_of(row))].add(row["via_inn"])
        return link_facts(rows)


def _name_of(row: Mapping[str, Any]) -> str:
    """The name that a row of `mart.links` matches by."""
    return str(row["via"]).partition(": ")[0]


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
            name = _name_of(row)
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
