"""SQL fragments of the flat marts: rows that are known of INNs, with name, version, times and marks.

A flat mart is `WITH {evidence}, known AS (…), facts AS (…) SELECT {inn_columns}, f.…, {evidence_columns} {from_facts}`:
`known` restricts `evidence` to the blocks of the mart; `facts` has `version_id`, `list` and `row_no` of each row.
"""

import re
from functools import cache

from innspect.schemas.blocks.bankruptcy import STAGES
from innspect.schemas.states import COMPLETE, EVIDENCE, sql_list
from innspect.schemas.tables import tables
from innspect.warehouse.ddl import literal, moscow_day
from innspect.warehouse.latest import latest_attempts
from innspect.warehouse.marts.fragments import list_complete
from innspect.warehouse.risk.version_figures import OF_MANAGER

INN_COLUMNS = "k.inn, k.name"
EVIDENCE_COLUMNS = """k.version_id, k.checked_at, k.collected_at, k.source_date,
       {is_confirmed} AS confirmed, k.complete"""
IS_CONFIRMED = (
    "k.confirmed AND r.snapshot_id IS NULL AND w.snapshot_id IS NULL AND (f.row_no IS NOT NULL OR k.unmerged)"
)
JOIN_KEPT_ROWS = """LEFT JOIN lineage.kept_rows r
     ON r.snapshot_id = k.snapshot_id AND r.table_name = f.list AND r.row_no = f.row_no
LEFT JOIN lineage.kept_rows w
     ON w.snapshot_id = k.snapshot_id AND w.table_name = f.list AND w.row_no IS NULL"""
NAMED_ROWS = "(SELECT e.*, n.name FROM known e LEFT JOIN names n ON n.inn = e.inn)"
"""`known` with names. Names are joined before the facts, of which an INN may have hundreds."""
FROM_FACTS = f"FROM facts f JOIN {NAMED_ROWS} k ON k.version_id = f.version_id\n{JOIN_KEPT_ROWS}"

COMMENTS_OF_INN = """\
-- inn: INN that was checked.
-- name: Short or full name by the card, otherwise the portfolio's name; NULL if none is known."""
COMMENTS_OF_EVIDENCE = """\
-- version_id: Version that contains it.
-- checked_at: Time of the latest response of the block that is evidence, UTC; it does not contain the {row} if \
confirmed is false.
-- collected_at: When the service collected the data of that response, UTC.
-- source_date: Date of the source's data set in that response; NULL if the block has none.
-- confirmed: Whether the latest response of the block is evidence and contains the {row}; false if only an earlier \
one does.
-- complete: Whether the list that it is from is complete; false if the list is partial or capped: there may be \
more rows, and counts and sums of this INN are lower bounds."""
EVIDENCE_COMMENTS = re.compile(r"^-- \{evidence_comments(?:: (?P<row>[\w ]+))?\}$", re.MULTILINE)


def fill_comments(source: str) -> str:
    """Replace the lines `-- {inn_comments}` and `-- {evidence_comments}` of a mart file.

    `-- {evidence_comments: case}`: `confirmed` is about the case that the row is of.
    """
    source = source.replace("-- {inn_comments}", COMMENTS_OF_INN)
    return EVIDENCE_COMMENTS.sub(lambda found: COMMENTS_OF_EVIDENCE.replace("{row}", found["row"] or "row"), source)


@cache
def evidence() -> str:
    """CTEs `evidence` (latest evidence of each INN and block) and `names` (one name per INN).

    `evidence.confirmed`: the latest response is evidence. `unmerged`: nothing was kept from an earlier response.
    """
    return f"""evidence AS (
    SELECT l.inn, l.block, l.version_id, l.evidence_id AS snapshot_id, l.checked_at, l.collected_at, l.source_date,
           coalesce(l.state IN {sql_list(EVIDENCE)}, false) AS confirmed,
           l.evidence_state IN {sql_list(COMPLETE)} AS unmerged, {list_complete("l")} AS complete
    FROM ({latest_attempts()}) l WHERE l.version_id IS NOT NULL
),
names AS (
    SELECT inn, coalesce(any_value(on_card), any_value(in_portfolio)) AS name
    FROM (SELECT e.inn, coalesce(c.short_name, c.name) AS on_card, NULL AS in_portfolio
          FROM evidence e JOIN core.company c USING (version_id) WHERE e.block = 'company'
          UNION ALL SELECT inn, NULL, max_by(name, last_seen_at) FROM lineage.portfolio_members GROUP BY inn)
    GROUP BY inn
)"""


def evidence_columns() -> str:
    """The last columns of a flat mart.

    A row without an ordinal (of a map, of leaves, of the card itself) is not listed in `lineage.kept_rows` by itself:
    it is confirmed only if its version was not merged, and no leaves of its table were kept.
    """
    return EVIDENCE_COLUMNS.replace("{is_confirmed}", IS_CONFIRMED)


def leaf_element(path: str = "path") -> str:
    """An expression: the path of the list element that a leaf is in, `$.list[0]`; NULL if it is in none."""
    return f"nullif(regexp_extract({path}, '^(\\$(?:\\.\\w+)*\\[\\d+\\])', 1), '')"


def leaf_key(path: str = "path") -> str:
    """An expression: the path of a leaf inside its list element; empty if the element is a scalar."""
    return f"ltrim(regexp_replace({path}, '^\\$(?:\\.\\w+)*\\[\\d+\\]', ''), '.')"


def leaf_day(value: str = "value") -> str:
    """An expression: the day in a leaf as received; NULL if it is none of the formats that the service uses."""
    formats = "['%d.%m.%Y', '%Y-%m-%d', '%Y-%m-%d %H:%M:%S', '%Y-%m-%dT%H:%M:%S', '%Y%m%d']"
    text = f"regexp_replace({value}, '(\\.\\d+)?(Z|[+-]\\d\\d:?\\d\\d)?$', '')"
    day = f"coalesce(try_strptime({value}, '%d.%m.%Y'), try_strptime({text}, {formats}))::DATE"
    return f"CASE WHEN {day} BETWEEN DATE '1900-01-01' AND DATE '2100-12-31' THEN {day} END"


def name_key(name: str = "person_name") -> str:
    """An expression: a name for comparison, without differences of case, Ё and white space."""
    return f"regexp_replace(replace(upper(trim({name})), 'Ё', 'Е'), '\\s+', ' ', 'g')"


def general_role() -> str:
    """The column `role` of a case `c` of a general court: plaintiff, respondent, third, else as the court words it."""
    return (
        "CASE c.role WHEN 'истец' THEN 'plaintiff' WHEN 'ответчик' THEN 'respondent' "
        "WHEN 'третье лицо' THEN 'third' ELSE c.role END AS role"
    )


FRAGMENTS = {
    "{evidence}": evidence,
    "{inn_columns}": lambda: INN_COLUMNS,
    "{evidence_columns}": evidence_columns,
    "{from_facts}": lambda: FROM_FACTS,
    "{is_confirmed}": lambda: IS_CONFIRMED,
    "{join_kept_rows}": lambda: JOIN_KEPT_ROWS,
    "{bankruptcy_stages}": lambda: f"({', '.join(map(literal, STAGES))})",
    "{message_day}": lambda: moscow_day("date"),
    "{max_efrsb_messages}": lambda: str(tables()["risk_flags__efrsb_messages"].max_rows),
    "{of_manager}": lambda: OF_MANAGER,
    "{general_role}": general_role,
    "{name_key}": name_key,
    "{leaf_element}": leaf_element,
    "{leaf_key}": leaf_key,
    "{leaf_day}": leaf_day,
}
"""SQL of placeholders in the files of flat marts."""
