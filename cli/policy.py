"""The command `policy`: show the risk policy, what another one would change, and apply a changed one."""

import json
import re
from calendar import month_name
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import typer
from rich.console import Console

from innspect.cli._console import make_console, make_table, tell
from innspect.cli._options import CliOptions
from innspect.extract.clock import Clock
from innspect.flows.assess import assess_loaded_inns
from innspect.flows.open_home import open_existing_warehouse, open_home, require_warehouse, utc_now
from innspect.flows.policy import KeyDifference, apply_policies, find_key_differences
from innspect.flows.publish import publish_after_run
from innspect.reports.change_query import resolve_portfolio
from innspect.schemas.errors import Exit, UsageError
from innspect.schemas.risk_policy.policy_file import load_policies
from innspect.schemas.risk_policy.policy_model import DEFAULT, DEFAULT_POLICY, Policies, Policy, RulePolicy
from innspect.schemas.settings import Settings
from innspect.warehouse.location import parse_location
from innspect.warehouse.risk.policy_comparison import (
    Comparison,
    LevelDifference,
    assess_members,
    compare_assessments,
    compare_policies,
)
from innspect.warehouse.risk.policy_sql import RULES
from innspect.warehouse.risk.policy_store import count_members, read_policies

LIMIT = re.compile(r"\blimits\.(\w+)")
MAX_LISTED_INNS = 100
"""INNs that the screen lists; JSON has all."""
SCORE_COLUMNS = ("policy", "level", "level_at_most", "score", "score_at_most", "unknown_blocks")


def policy(
    options: CliOptions,
    name: str | None,
    portfolio: str | None,
    diff: Path | None,
    *,
    apply: bool,
    now: Clock = utc_now,
) -> int:
    """Show, compare or apply. Raises SettingsError for a wrong file, and UsageError for an unknown policy."""
    if diff is not None and apply:
        raise UsageError("--diff and --apply exclude one another; write the policy to its file, then apply it.")
    if name is not None and (diff is not None or apply):
        raise UsageError("--policy only selects what is shown; leave it out with --diff and --apply.")
    settings = options.settings()
    if diff is not None:
        _compare(options, settings, portfolio, load_policies(diff))
    elif apply:
        return _apply(options, settings, portfolio, now)
    else:
        _show(options, settings, name, portfolio)
    return int(Exit.OK)


def _show(options: CliOptions, settings: Settings, name: str | None, portfolio: str | None) -> None:
    policies = settings.policies
    shown = _select(policies, name)
    members: dict[str, int] = {}
    stored: Policies | None = None
    if parse_location(settings.warehouse).exists():
        with open_existing_warehouse(settings) as warehouse:
            stored = read_policies(warehouse.connection)
            if portfolio is not None:
                portfolio = resolve_portfolio(warehouse, portfolio)
                members = count_members(warehouse.connection, policies, portfolio)
    if portfolio is not None and name is None:
        shown = [found for found in policies.ordered if found.name in members] or [_of_portfolio(policies, portfolio)]
    is_applied = stored is not None and not find_key_differences(stored, policies)
    if options.json:
        facts = {
            "file": policies.file,
            "portfolio": portfolio,
            "members": members,
            "applied": None if stored is None else is_applied,
            "policies": [policy_as_json(policy) for policy in shown],
        }
        typer.echo(json.dumps(facts, ensure_ascii=False))
        return
    screen = make_console()
    screen.print(f"Risk policy of {policies.file}.", soft_wrap=True)
    if stored is None:
        screen.print(f"There is no warehouse at {parse_location(settings.warehouse)} yet: no level is judged by it.")
    elif not is_applied:
        screen.print(
            "The warehouse is judged by another policy; the next run applies this one, or `innspect policy --apply` "
            "now.",
            soft_wrap=True,
        )
    if portfolio is not None:
        counts = ", ".join(f"{count} by {policy}" for policy, count in members.items()) or "not known"
        screen.print(f"Members of the portfolio {portfolio}: {counts}.", soft_wrap=True)
    for policy in shown:
        print_policy(policy, screen)
    others = [other.name for other in policies.ordered if other not in shown]
    if others:
        screen.print(f"\nOther policies of the file: {', '.join(others)}; --policy NAME shows one.", soft_wrap=True)


def _select(policies: Policies, name: str | None) -> list[Policy]:
    found = policies.default if name is None else policies.get(name)
    if found is None:
        known = ", ".join(policy.name for policy in policies.ordered)
        raise UsageError(f"There is no policy {name} in {policies.file}; choose one of {known}.", policy=name)
    return [found]


def _of_portfolio(policies: Policies, portfolio: str) -> Policy:
    """The policy that names the portfolio: what judges its members that no tag gives another policy."""
    return next((policy for policy in policies.ordered if portfolio in policy.portfolios), policies.default)


def policy_as_json(policy: Policy) -> dict[str, Any]:
    """An effective policy: the tables of its file, and the condition of each rule."""
    tables = policy.tables()
    for rule in RULES:
        tables["rules"][rule.signal] |= {"block": rule.block, "condition": describe_condition(rule.signal, policy)}
    return {
        "name": policy.name,
        "policy_version": policy.version,
        "portfolios": list(policy.portfolios),
        "tags": list(policy.tags),
        **tables,
    }


CONDITIONS = {rule.signal: rule.condition for rule in RULES}


def describe_condition(signal: str, policy: Policy) -> str:
    """When a signal is present, with the limits of the policy."""
    limits = policy.rules[signal].limits
    return LIMIT.sub(lambda found: _limit_text(found[1], limits[found[1]]), CONDITIONS[signal])


def _limit_text(name: str, value: float) -> str:
    if name.endswith("_rub"):
        return f"{value:,.0f} RUB".replace(",", " ")
    if name.endswith("share"):
        return f"{value * 100:g} %"
    if name == "due_month":
        return month_name[int(value)]
    unit = next((unit for unit in ("days", "times") if name.endswith(unit)), "")
    return f"{value:g} {unit}".rstrip()


def print_policy(policy: Policy, screen: Console) -> None:
    """Print an effective policy: its numbers as sentences, its rules as a table."""
    screen.print(f"\nPolicy {policy.name}, version {policy.version}", style="bold")
    screen.print(f"Judges {_members_text(policy)}.", soft_wrap=True)
    thresholds, required = policy.thresholds, policy.required
    screen.print(
        f"Levels: critical from a score of {thresholds.critical} or with a stop factor, high from {thresholds.high}, "
        f"medium from {thresholds.medium}, low below.",
        soft_wrap=True,
    )
    screen.print(f"Required of companies: {', '.join(required.company) or 'nothing'}.", soft_wrap=True)
    screen.print(f"Required of persons: {', '.join(required.person) or 'nothing'}.", soft_wrap=True)
    screen.print(f"An alert follows after {_days(required.unknown_alert_days)} without a required block.")
    screen.print(f"Answers are stale after {_days_text(policy.age_days)}.", soft_wrap=True)
    screen.print(f"Published data sets are stale after {_days_text(policy.source_age_days)}.\n", soft_wrap=True)
    rules = [(signal, policy.rules[signal]) for signal in CONDITIONS if policy.rules[signal].enabled]
    sizes = [rule.group for _, rule in rules]
    screen.print(
        make_table(
            ["signal", "weight", "severity", "group", "present when"],
            [
                [
                    signal,
                    rule.weight,
                    rule.severity,
                    rule.group if rule.group and sizes.count(rule.group) > 1 else "",
                    _marks(rule) + describe_condition(signal, policy),
                ]
                for signal, rule in rules
            ],
        )
    )
    if off := [signal for signal, rule in policy.rules.items() if not rule.enabled]:
        screen.print(f"Switched off: {', '.join(off)}", soft_wrap=True)


def _members_text(policy: Policy) -> str:
    if policy.name == DEFAULT_POLICY:
        return "members that no other policy names"
    parts = [
        f"{what} {', '.join(names)}"
        for what, names in (("members of the portfolios", policy.portfolios), ("members with the tags", policy.tags))
        if names
    ]
    return " and ".join(parts)


def _days(number: float) -> str:
    return "1 day" if number == 1 else f"{number:g} days"


def _days_text(days: Mapping[str, float]) -> str:
    others = [f"{block} {limit:g}" for block, limit in days.items() if block != DEFAULT]
    return f"{_days(days[DEFAULT])}" + (f" ({', '.join(others)})" if others else "")


def _marks(rule: RulePolicy) -> str:
    marks = [mark for mark, is_set in (("Stop factor.", rule.stop), ("Substitute.", rule.substitute)) if is_set]
    return "".join(f"{mark} " for mark in marks)


def _compare(options: CliOptions, settings: Settings, portfolio: str | None, after: Policies) -> None:
    where = parse_location(settings.warehouse)
    if not where.exists():
        keys = find_key_differences(settings.policies, after)
        if options.json:
            typer.echo(json.dumps(comparison_as_json(settings.policies, after, keys, None, portfolio)))
            return
        screen = make_console()
        print_key_differences(settings.policies, after, keys, screen)
        screen.print(f"There is no warehouse at {where}: no levels to compare.", soft_wrap=True)
        return
    with open_existing_warehouse(settings) as warehouse:
        portfolio = None if portfolio is None else resolve_portfolio(warehouse, portfolio)
        compared = compare_policies(warehouse, after, portfolio)
    keys = find_key_differences(compared.before, after)
    if options.json:
        facts = comparison_as_json(compared.before, after, keys, compared, portfolio)
        typer.echo(json.dumps(facts, ensure_ascii=False))
    else:
        print_key_differences(compared.before, after, keys, make_console())
        print_comparison(compared, portfolio, "would change", make_console())


def _apply(options: CliOptions, settings: Settings, portfolio: str | None, now: Clock) -> int:
    require_warehouse(settings)
    after = settings.policies
    with open_home(settings, tell) as stores:
        warehouse = stores.warehouse
        portfolio = None if portfolio is None else resolve_portfolio(warehouse, portfolio)
        before = read_policies(warehouse.connection)
        old = before, assess_members(warehouse, portfolio)
        is_changed = apply_policies(warehouse, stores.archive, after, now())
        assess_loaded_inns(warehouse)
        compared = compare_assessments(old, (after, assess_members(warehouse, portfolio)))
        screen = make_console(to_stderr=options.json)
        is_published = publish_after_run(settings, warehouse, screen) if is_changed else True
    keys = find_key_differences(before, after)
    if options.json:
        facts = comparison_as_json(before, after, keys, compared, portfolio) | {"applied": True}
        typer.echo(json.dumps(facts, ensure_ascii=False))
    else:
        print_key_differences(before, after, keys, screen)
        print_comparison(compared, portfolio, "changed", screen)
    return int(Exit.OK if is_published else Exit.FAULT)


def comparison_as_json(
    before: Policies, after: Policies, keys: list[KeyDifference], compared: Comparison | None, portfolio: str | None
) -> dict[str, Any]:
    """What another policy changes; `inns` and `changed` are null without a warehouse."""
    return {
        "before": {"file": before.file, "policies": {policy.name: policy.version for policy in before.ordered}},
        "after": {"file": after.file, "policies": {policy.name: policy.version for policy in after.ordered}},
        "portfolio": portfolio,
        "keys": [
            {"policy": found.policy, "key": found.key, "before": found.before, "after": found.after} for found in keys
        ],
        "inns": None if compared is None else compared.inns,
        "changed": None if compared is None else [_difference_as_json(found) for found in compared.differences],
    }


def _difference_as_json(found: LevelDifference) -> dict[str, Any]:
    cells = {
        f"{column}_{when}": row[column]
        for column in SCORE_COLUMNS
        for when, row in (("before", found.before), ("after", found.after))
    }
    return {"inn": found.inn, **cells, "reasons": list(found.reasons)}


def print_key_differences(before: Policies, after: Policies, keys: Iterable[KeyDifference], screen: Console) -> None:
    """Print the keys in which two policies differ."""
    rows = [[found.policy, found.key, _key_text(found.before), _key_text(found.after)] for found in keys]
    if rows:
        screen.print(make_table(["policy", "key", before.file, after.file], rows))
    else:
        screen.print(f"{after.file} judges as {before.file} does.", soft_wrap=True)


def _key_text(value: Any) -> str:
    if isinstance(value, list):
        return ", ".join(value) or "none"
    return str(value).lower() if isinstance(value, bool) else "none" if value is None else str(value)


def print_comparison(compared: Comparison, portfolio: str | None, verb: str, screen: Console) -> None:
    """Print whose level differs, and why; INNs whose score alone differs are counted."""
    scope = "" if portfolio is None else f" of the portfolio {portfolio}"
    levels = [found for found in compared.differences if found.changes_level]
    scores = len(compared.differences) - len(levels)
    screen.print(
        f"\nINNs{scope}: {compared.inns}; the level of {len(levels)} {verb}, the score alone of {scores}.",
        soft_wrap=True,
    )
    for found in levels[:MAX_LISTED_INNS]:
        screen.print(f"{found.inn}  {_level_text(found.before)} -> {_level_text(found.after)}", soft_wrap=True)
        for reason in found.reasons:
            screen.print(f"  {reason}", soft_wrap=True)
    if len(levels) > MAX_LISTED_INNS:
        screen.print(f"… and {len(levels) - MAX_LISTED_INNS} more; --json lists all.")


def _level_text(score: Mapping[str, Any]) -> str:
    unknown = f"; not known: {', '.join(score['unknown_blocks'])}" if score["unknown_blocks"] else ""
    return f"{score['level']} ({score['score']}, at most {score['level_at_most']}{unknown})"
