"""The queries about links between members: groups that hang together, and what is shown of them.

Groups are formed in SQL: a large portfolio has more links than Python objects of them have room in memory.
"""

from textwrap import dedent

MATCHED_BY_NAME = "name"
SHARED_PERSON = r"^(.+?)(?:: | is )((?:[a-z ]+ of [0-9]{10,12}(?:, )?)+)$"
"""A person in `mart.links.via`: `Name: director of INN, founder of INN` or `Name is founder of INN`."""
PERSON_ROLES = ("beneficiary", "director", "founder")


class LinkQueries:
    """Queries about the links between members, a relation of INNs as SQL."""

    def __init__(self, members: str) -> None:
        self.links = dedent(f"""
            SELECT inn, other_inn, kind, via, matched_by <> '{MATCHED_BY_NAME}' AS is_certain, confirmed FROM mart.links
            WHERE inn IN ({members}) AND other_inn IN ({members}) AND inn <> other_inn
        """).strip()
        """Links between two members: one row per pair, kind and shared object."""
        self.sure = f"SELECT inn, other_inn, kind, via FROM ({self.links}) WHERE is_certain AND confirmed"
        """Those of them that more than a name shows, and that the latest responses confirm."""
        self.groups = dedent(f"""
            WITH RECURSIVE pairs AS MATERIALIZED (
                SELECT DISTINCT inn, other_inn FROM ({self.sure})
            ),
            neighbours AS MATERIALIZED (
                SELECT inn, other_inn FROM pairs UNION ALL SELECT other_inn, inn FROM pairs
            ),
            reached (inn, first_inn) USING KEY (inn) AS (
                SELECT inn, least(inn, min(other_inn)) FROM neighbours GROUP BY inn
                UNION
                SELECT n.inn, min(r.first_inn)
                FROM reached r JOIN neighbours n ON n.other_inn = r.inn JOIN recurring.reached o ON o.inn = n.inn
                WHERE r.first_inn < o.first_inn GROUP BY n.inn
            ),
            degrees AS (
                SELECT r.first_inn, inn, count(*) AS degree FROM neighbours JOIN reached r USING (inn) GROUP BY ALL
            ),
            ranked AS (
                SELECT *, count(*) OVER (PARTITION BY first_inn) AS members,
                       row_number() OVER best AS position, first_value(inn) OVER best AS best_inn
                FROM degrees WINDOW best AS (PARTITION BY first_inn ORDER BY degree DESC, inn)
            )
            SELECT inn, degree, members, position, dense_rank() OVER (ORDER BY members DESC, best_inn) AS place
            FROM ranked
        """).strip()
        """Members by group: groups that hang together by sure links, largest first; members with most links first."""

    def figures(self) -> str:
        """One row: groups, their linked pairs, members of the largest; pairs that no sure link links.

        Of these, `pairs_former` have a link that the latest responses do not confirm, `pairs_by_name` only a name.
        """
        return f"""
            SELECT g.groups, g.pairs, g.largest, l.pairs_former, l.pairs_by_name
            FROM (SELECT count(DISTINCT place) AS groups, coalesce(sum(degree), 0)::BIGINT // 2 AS pairs,
                         coalesce(max(members), 0) AS largest FROM ({self.groups})) g,
                 (SELECT count(*) FILTER (NOT is_sure AND is_certain) AS pairs_former,
                         count(*) FILTER (NOT is_certain) AS pairs_by_name
                  FROM (SELECT bool_or(is_certain AND confirmed) AS is_sure, bool_or(is_certain) AS is_certain
                        FROM ({self.links}) GROUP BY inn, other_inn)) l
        """

    def members(self, groups: int, members: int) -> str:
        """The first members of the largest groups."""
        return f"""
            SELECT place, members, inn FROM ({self.groups}) WHERE place <= {groups} AND position <= {members}
            ORDER BY place, position
        """

    def drawn_pairs(self, groups: int, members: int) -> str:
        """The pairs of the first members of the largest groups, with their kinds of link."""
        return f"""
            WITH drawn AS (FROM ({self.groups}) WHERE place <= {groups} AND position <= {members}),
            begun AS MATERIALIZED (SELECT d.place, l.* FROM ({self.sure}) l JOIN drawn d ON d.inn = l.inn)
            SELECT place, inn, other_inn, list(DISTINCT kind ORDER BY kind) AS kinds
            FROM begun SEMI JOIN drawn d ON d.inn = begun.other_inn AND d.place = begun.place
            GROUP BY place, inn, other_inn ORDER BY place, inn, other_inn
        """

    def shared_objects(self, groups: int, objects: int) -> str:
        """What the members of the largest groups share most, with all roles of a person, and how much there is."""
        roles = ", ".join(f"CASE WHEN contains(found.roles, '{role}') THEN '{role}' END" for role in PERSON_ROLES)
        return f"""
            WITH grouped AS (FROM ({self.groups}) WHERE place <= {groups}),
            begun AS MATERIALIZED (SELECT g.place, l.* FROM ({self.sure}) l JOIN grouped g ON g.inn = l.inn),
            shared AS (
                SELECT place, kind, coalesce(via, '') AS via,
                       regexp_extract(coalesce(via, ''), '{SHARED_PERSON}', ['name', 'roles']) AS found
                FROM begun SEMI JOIN grouped g ON g.inn = begun.other_inn AND g.place = begun.place
            ),
            objects AS (
                SELECT place, if(found.name = '', via, found.name) AS name, count(*) AS uses,
                       list_sort(list_distinct(flatten(list(DISTINCT if(found.name = '', [kind],
                           list_filter([{roles}], lambda role: role IS NOT NULL)))))) AS kinds
                FROM shared GROUP BY ALL
            )
            SELECT place, name, kinds, count(*) OVER (PARTITION BY place) AS objects FROM objects
            QUALIFY row_number() OVER (PARTITION BY place ORDER BY uses DESC, name, kinds) <= {objects}
            ORDER BY place, uses DESC, name, kinds
        """
