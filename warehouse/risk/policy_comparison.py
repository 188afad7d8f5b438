"""What other policies would change: the level of each member before and after, with the reasons; nothing is stored."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import polars as pl

from innspect.schemas.risk_policy.policy_model import Policies, Policy
from innspect.schemas.states import SignalState
from innspect.warehouse.database import Warehouse
from innspect.warehouse.marts.registry import queries_without_findings
from innspect.warehouse.risk.policy_sql import POLICIES_TABLE
from innspect.warehouse.risk.policy_store import read_policies, try_policies

SCORE_COLUMNS = ("level", "level_at_most", "score", "score_at_most", "unknown_blocks", "policy")
SIGNAL_COLUMNS = ("inn", "signal", "title", "state", "weight")
SHOWN_STATES = (SignalState.PRESENT, SignalState.UNKNOWN, SignalState.NEVER_REQUESTED)
"""A signal in another state adds to no score."""

Row = Mapping[str, Any]
Assessment = tuple[dict[str, Row], dict[str, dict[str, Row]]]
"""The score of each INN, and its signals by name."""


@dataclass(frozen=True, slots=True)
class LevelDifference:
    """An INN whose level, worst possible level or score differs, and why; scores are rows of `SCORE_COLUMNS`."""

    inn: str
    before: Row
    after: Row
    reasons: tuple[str, ...]

    @property
    def changes_level(self) -> bool:
        """Whether more than the score differs."""
        return any(self.before[name] != self.after[name] for name in ("level", "level_at_most"))


@dataclass(frozen=True, slots=True)
class Comparison:
    """What other policies would change. `inns`: number of INNs that were assessed."""

    before: Policies
    after: Policies
    inns: int
    differences: tuple[LevelDifference, ...]


def compare_policies(warehouse: Warehouse, after: Policies, portfolio: str | None = None) -> Comparison:
    """Assess all INNs, or the members of a portfolio, by the current policies and by others; nothing is stored."""
    before = read_policies(warehouse.connection)
    old = _assess(warehouse, portfolio)
    with try_policies(warehouse.connection, after) as table:
        new = _assess(warehouse, portfolio, table)
    return compare_assessments((before, old), (after, new))


def compare_assessments(before: tuple[Policies, Assessment], after: tuple[Policies, Assessment]) -> Comparison:
    """The INNs that two assessments of the same members judge differently."""
    (policies, old), (new_policies, new) = before, after
    differences: list[LevelDifference] = []
    for inn, score in old[0].items():
        if any(score[name] != new[0][inn][name] for name in SCORE_COLUMNS[:4]):
            thresholds = _threshold_reasons(policies.get(score["policy"]), new_policies.get(new[0][inn]["policy"]))
            reasons = (*thresholds, *_reasons(score, new[0][inn], old[1].get(inn, {}), new[1].get(inn, {})))
            differences.append(LevelDifference(inn, score, new[0][inn], reasons or ("other groups or stop factors",)))
    return Comparison(policies, new_policies, len(old[0]), tuple(differences))


def _threshold_reasons(before: Policy | None, after: Policy | None) -> Iterator[str]:
    if before is not None and after is not None:
        new = after.thresholds.model_dump()
        for level, score in before.thresholds.model_dump().items():
            if score != new[level]:
                yield f"{level} from {score}, then from {new[level]}"


def assess_members(warehouse: Warehouse, portfolio: str | None = None) -> Assessment:
    """The assessment of all INNs, or of the members of a portfolio, by the current policies."""
    return _assess(warehouse, portfolio)


def _assess(warehouse: Warehouse, portfolio: str | None, policies: str = POLICIES_TABLE) -> Assessment:
    """The assessment by the policies of a table."""
    named = {} if portfolio is None else {"portfolio": portfolio}
    scores = warehouse.query(_of_members("risk_score", ("inn", *SCORE_COLUMNS), policies, portfolio), named)
    signals = warehouse.query(_of_members("risk_signals", SIGNAL_COLUMNS, policies, portfolio), named)
    by_inn: dict[str, dict[str, Row]] = {}
    for row in signals.filter(pl.col("state").is_in([str(state) for state in SHOWN_STATES])).iter_rows(named=True):
        by_inn.setdefault(row["inn"], {})[row["signal"]] = row
    return {row["inn"]: row for row in scores.iter_rows(named=True)}, by_inn


def _of_members(mart: str, columns: tuple[str, ...], policies: str, portfolio: str | None) -> str:
    # The marts show what is stored; other policies are judged by evaluating every rule.
    judged = f"({queries_without_findings()[mart].replace(POLICIES_TABLE, policies)})"
    rows = f"mart.{mart}" if policies == POLICIES_TABLE else judged
    members = "SELECT inn FROM lineage.portfolio_members WHERE portfolio = $portfolio AND left_at IS NULL"
    condition = "" if portfolio is None else f" WHERE inn IN ({members})"
    return f"SELECT {', '.join(columns)} FROM {rows}{condition} ORDER BY inn"


def _reasons(before: Row, after: Row, old: Mapping[str, Row], new: Mapping[str, Row]) -> Iterator[str]:
    """Why the assessment of an INN differs, in words: its policy, required blocks, and signals by weight."""
    if before["policy"] != after["policy"]:
        yield f"policy {before['policy']}, then {after['policy']}"
    old_blocks, new_blocks = set(before["unknown_blocks"]), set(after["unknown_blocks"])
    if added := sorted(new_blocks - old_blocks):
        yield f"not answered: {', '.join(added)}"
    if removed := sorted(old_blocks - new_blocks):
        yield f"no longer missing: {', '.join(removed)}"
    names = {*old, *new}
    changed = [name for name in names if _standing(old.get(name)) != _standing(new.get(name))]
    weights = {name: max(row["weight"] for row in (old.get(name), new.get(name)) if row) for name in changed}
    for name in sorted(changed, key=lambda name: (-weights[name], name)):
        title = (new.get(name) or old[name])["title"]
        yield f"{title}: {_words(old.get(name))}, then {_words(new.get(name))}"


def _standing(signal: Row | None) -> tuple[str, int] | None:
    return None if signal is None else (signal["state"], signal["weight"])


def _words(signal: Row | None) -> str:
    return "not counted" if signal is None else f"{signal['state']} ({signal['weight']})"
