"""The data of a dossier: query results of one INN as it was known at a moment, not yet in words, and their hash."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date, datetime
from decimal import Decimal
from hashlib import sha256
from typing import Any

from innspect.reports.coverage_text import blocks_without_method
from innspect.reports.dossier import queries
from innspect.reports.dossier.subjects import SUBJECTS
from innspect.reports.link_graph.link_graph import LinkNetwork, read_link_network
from innspect.schemas.errors import UsageError
from innspect.schemas.states import SignalState
from innspect.warehouse.as_of import Source, open_as_of
from innspect.warehouse.database import Warehouse

Row = Mapping[str, Any]
FIRST_REQUEST = "SELECT min(asked_at) AS asked_at FROM lineage.snapshots WHERE inn = $inn"


@dataclass(frozen=True, slots=True)
class DossierRequest:
    """Of which INN, and as known at which moment (UTC); `person_methods` is the setting of the service."""

    inn: str
    moment: datetime
    software_version: str
    person_methods: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PolicyUsed:
    """The policy that judged: `is_current` at the moment of the dossier is the present one; `is_known` as of then."""

    name: str
    version: str
    first_used_at: datetime | None
    is_current: bool
    is_known: bool


@dataclass(frozen=True, slots=True)
class DossierData:
    """Everything that a dossier shows; `blocks` by name, `tables` all rows by the name of their `SubjectTable`."""

    inn: str
    moment: datetime
    software_version: str
    policy: PolicyUsed
    profile: Row
    card: Row | None
    score: Row
    signals: Sequence[Row]
    blocks: Mapping[str, Row]
    tables: Mapping[str, Sequence[Row]]
    court_years: Sequence[Row]
    history: Sequence[Row]
    links: LinkNetwork
    evidence: Sequence[Row]

    @property
    def sha256(self) -> str:
        """Hash of the data: the same for the same moment, responses, policy and version of the program."""
        return sha256(canonical_json(self.document()).encode()).hexdigest()

    def document(self) -> dict[str, Any]:
        """The data as JSON values: amounts as text with two decimals, instants in UTC, null for what is not known."""
        return json_value(asdict(self))


def read_dossier(source: Source, request: DossierRequest) -> DossierData:
    """Read one INN as it was known at a moment. Raises UsageError if nothing was requested or listed by then."""
    with open_as_of(source, request.inn, request.moment) as (past, policy):
        profiles = _rows(past, queries.PROFILE, request.inn)
        if not profiles:
            first = source.query(FIRST_REQUEST, {"inn": request.inn})["asked_at"].item()
            advice = (
                f"request it with `innspect check {request.inn}`"
                if first is None
                else f"it was first requested at {first:%Y-%m-%d %H:%M} UTC, name a later moment with --as-of"
            )
            raise UsageError(
                f"Nothing was known of {request.inn} at {request.moment:%Y-%m-%d %H:%M} UTC; {advice}.", inn=request.inn
            )
        score = _rows(past, queries.SCORE, request.inn)[0]
        card = _rows(past, queries.CARD, request.inn)
        used = _rows(past, queries.POLICY.format(version="$inn"), score["policy_version"])
        return DossierData(
            inn=request.inn,
            moment=request.moment,
            software_version=request.software_version,
            policy=PolicyUsed(
                score["policy"], score["policy_version"], used[0]["first_used_at"], policy.is_current, policy.is_known
            ),
            profile=profiles[0],
            card=card[0] if card else None,
            score=score,
            signals=_rows(past, queries.SIGNALS, request.inn),
            blocks=_read_blocks(past, request),
            tables={
                table.name: _rows(past, table.query, request.inn) for subject in SUBJECTS for table in subject.tables
            },
            court_years=_rows(past, queries.COURT_YEARS, request.inn),
            history=_rows(past, queries.HISTORY, request.inn),
            links=read_link_network(past, request.inn),
            evidence=_rows(past, queries.EVIDENCE, request.inn),
        )


def _rows(past: Warehouse, query: str, inn: str) -> list[dict[str, Any]]:
    return past.query(query, {"inn": inn}).to_dicts()


def _read_blocks(past: Warehouse, request: DossierRequest) -> Mapping[str, Row]:
    """The state of every block, with those for which the service has no method for this kind of INN."""
    rows = {str(row["block"]): row for row in _rows(past, queries.BLOCKS, request.inn)}
    empty = dict.fromkeys(queries.BLOCK_COLUMNS)
    for block in blocks_without_method(len(request.inn), rows, request.person_methods):
        rows[block] = {**empty, "block": block, "state": str(SignalState.NOT_OFFERED)}
    return rows


def canonical_json(document: object) -> str:
    """JSON that is the same text for the same values."""
    return json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def json_value(value: Any) -> Any:
    """A value for JSON."""
    match value:
        case Decimal():
            return f"{value:.2f}"
        case datetime():
            return value.isoformat(timespec="milliseconds" if value.microsecond else "seconds") + "Z"
        case date():
            return value.isoformat()
        case float():
            return round(value, 6)
        case dict():
            return {str(key): json_value(item) for key, item in value.items()}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        case list() | tuple():
            return [json_value(item) for item in value]  # pyright: ignore[reportUnknownVariableType]
        case _:
            return value
