"""Judge some INNs by the current policies, as of one moment."""

from collections.abc import Sequence
from contextlib import nullcontext

from innspect.warehouse.assessments.assessed_inns import CHUNK, VERSIONS, AssessedRun, known_blocks, prepare_chunk
from innspect.warehouse.database import Warehouse
from innspect.warehouse.marts.fragments import fill_states
from innspect.warehouse.risk.signals import score_ctes

CHUNK_INNS = 1_000
"""INNs that are judged by one query: memory grows with them."""
MAX_CLOSURE = 4_000
"""INNs, with those that are linked to them, that are judged within the caller's limit of memory; 8,000 need 1 GB."""
ASSESSED = "temp.assessed_now"
"""Scores of the INNs that were judged last, `own_high` (whether their own signals reach high), and their `signals`."""

# The list is not ordered: an aggregate with an order keeps a block of every column for each INN, 0.5 GB for 800 INNs.
ASSESS = """
CREATE OR REPLACE TEMP TABLE assessed_now AS
WITH {scores},
listed AS (
    SELECT inn, list({'signal': signal, 'title': title, 'title_ru': title_ru, 'severity': severity, 'weight': weight,
                      'group_name': group_name, 'state': state, 'confirmed': confirmed, 'reason': reason,
                      'since': since, 'evidence': evidence, 'facts': facts, 'block': block, 'version_id': version_id,
                      'snapshot_id': snapshot_id}) AS signals
    FROM signals SEMI JOIN {chunk} USING (inn) GROUP BY inn
)
SELECT s.*, o.is_high AS own_high, l.signals
FROM scores s JOIN listed l ON l.inn = s.inn LEFT JOIN own_levels o ON o.inn = s.inn
"""


def judge_chunk(warehouse: Warehouse, run: AssessedRun, inns: Sequence[str], *, is_latest: bool) -> None:
    """Put the judgement of INNs into `ASSESSED`, from what was known at the moment of a run.

    The query cannot use the disk for all that it needs, and a person may be director of any number of companies: for
    many linked INNs the limit of memory does not apply.
    """
    linked = prepare_chunk(warehouse, run, inns, is_latest=is_latest)
    ctes = score_ctes(known_blocks(run), VERSIONS)
    with nullcontext() if linked <= MAX_CLOSURE else warehouse.limited_memory(None):
        warehouse.connection.execute(fill_states(ASSESS.replace("{scores}", ctes).replace("{chunk}", CHUNK)).strip())
