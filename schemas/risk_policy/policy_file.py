"""Read and validate a policy file; `configs/risk.toml` of the distribution says which rules and limits there are."""

import tomllib
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, cast

from pydantic import BaseModel, ValidationError

from innspect.schemas.errors import SettingsError
from innspect.schemas.risk_policy.policy_model import (
    DEFAULT_POLICY,
    Policies,
    Policy,
    Required,
    RulePolicy,
    Thresholds,
    check_limit,
)

FILE_NAME = "risk.toml"
BUILT_IN = f"the built-in {FILE_NAME}"
OVERRIDES = ("thresholds", "required", "age_days", "source_age_days", "rules")
SELECTORS = ("portfolios", "tags")
POLICIES = "policies"

Tree = Mapping[str, Any]


def load_policies(path: Path | None) -> Policies:
    """The effective policies of a file; None: those of the distribution. Raises SettingsError with key and file."""
    return _built_in_policies() if path is None else _read_policies(_read_file(path), str(path))


def built_in_file() -> Path:
    """The policy file of the distribution."""
    return Path(str(files("innspect.configs").joinpath(FILE_NAME)))


@cache
def _built_in_policies() -> Policies:
    return _read_policies(_built_in_tables(), BUILT_IN)


@cache
def _built_in_tables() -> Tree:
    return tomllib.loads(built_in_file().read_text("utf-8"))


def _read_file(path: Path) -> Tree:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        message = f"There is no policy file {path}; name another or leave it out."
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
        message = f"The policy file {path} cannot be read ({fault}); correct it."
    raise SettingsError(message, file=str(path))


def _read_policies(tree: Tree, file: str) -> Policies:
    _check_tables(tree, file)
    own = {name: tree[name] for name in OVERRIDES}
    _check_rules(own["rules"], file, (), complete=True)
    default = _validate({"name": DEFAULT_POLICY, **own}, file, ())
    named = [_read_named(name, body, own, file) for name, body in tree.get(POLICIES, {}).items()]
    return Policies(file, (*named, default))


def _check_tables(tree: Tree, file: str) -> None:
    for name, value in tree.items():
        if name not in (*OVERRIDES, POLICIES):
            raise _unknown_key(name, file, (*OVERRIDES, POLICIES))
        if not isinstance(value, Mapping):
            raise _out_of_range(name, file, "must be a table")
    for name in OVERRIDES:
        if name not in tree:
            raise _missing_key(name, file)


def _read_named(name: str, body: Any, own: Tree, file: str) -> Policy:
    where = (POLICIES, name)
    if not isinstance(body, Mapping):
        raise _out_of_range(".".join(where), file, "must be a table")
    table = cast("Tree", body)
    if name == DEFAULT_POLICY:
        raise _out_of_range(".".join(where), file, f"{DEFAULT_POLICY} is the name of the file's own tables")
    for key, value in table.items():
        if key not in (*SELECTORS, *OVERRIDES):
            raise _unknown_key(".".join((*where, key)), file, (*SELECTORS, *OVERRIDES))
        if key in OVERRIDES and not isinstance(value, Mapping):
            raise _out_of_range(".".join((*where, key)), file, "must be a table")
    if not any(table.get(key) for key in SELECTORS):
        raise _missing_key(".".join((*where, "portfolios")), file, "write it, or tags")
    _check_rules(table.get("rules", {}), file, where, complete=False)
    return _validate({"name": name, **_merge(own, table)}, file, where)


def _check_rules(rules: Tree, file: str, where: Sequence[str], *, complete: bool) -> None:
    """Check names of rules, their keys and limits. `complete`: every rule and limit must be there."""
    known = cast("Mapping[str, Tree]", _built_in_tables()["rules"])
    for signal, rule in rules.items():
        key = (*where, "rules", signal)
        if signal not in known:
            raise _unknown_key(".".join(key), file, tuple(known), "a rule")
        if not isinstance(rule, Mapping):
            raise _out_of_range(".".join(key), file, "must be a table")
        _check_limits(cast("Tree", rule), known[signal], file, key, complete=complete)
    for signal in known:
        if complete and signal not in rules:
            raise _missing_key(f"rules.{signal}", file, "write it, with enabled = false to switch the rule off")


def _check_limits(rule: Tree, known: Tree, file: str, key: Sequence[str], *, complete: bool) -> None:
    names = tuple(known.get("limits", ()))
    limits: Any = rule.get("limits", {})
    if not isinstance(limits, Mapping):
        raise _out_of_range(".".join((*key, "limits")), file, "must be a table")
    for name, value in cast("Tree", limits).items():
        path = ".".join((*key, "limits", name))
        if name not in names:
            raise _unknown_key(path, file, names, "a limit of this rule")
        is_number = isinstance(value, int | float) and not isinstance(value, bool)
        if problem := check_limit(name, value) if is_number else "must be a number":
            raise _out_of_range(path, file, problem)
    for name in names:
        if complete and name not in limits:
            raise _missing_key(".".join((*key, "limits", name)), file)


def _merge(own: Tree, overrides: Tree) -> dict[str, Any]:
    """The file's own tables with the overrides, key by key."""
    merged = dict(own)
    for key, value in overrides.items():
        below = merged.get(key)
        if isinstance(value, Mapping) and isinstance(below, Mapping):
            merged[key] = _merge(cast("Tree", below), cast("Tree", value))
        else:
            merged[key] = value
    return merged


def _validate(tables: Tree, file: str, where: Sequence[str]) -> Policy:
    try:
        return Policy.model_validate(tables)
    except ValidationError as fault:
        faults = fault.errors(include_input=False, include_url=False)
        # A misspelt key is both unknown and missing: name what the file has.
        first = next((found for found in faults if found["type"] == "extra_forbidden"), faults[0])
    path = [str(part) for part in first["loc"]]
    key = ".".join((*where, *path)) or "rules"
    if first["type"] == "missing":
        raise _missing_key(key, file)
    if first["type"] == "extra_forbidden":
        raise _unknown_key(key, file, tuple(_model_at(path).model_fields))
    problem = first["msg"].removeprefix("Value error, ").rstrip(".")
    raise _out_of_range(key, file, problem)


def _model_at(path: Sequence[str]) -> type[BaseModel]:
    models: Mapping[str, type[BaseModel]] = {"thresholds": Thresholds, "required": Required, "rules": RulePolicy}
    return models.get(path[0], Policy)


def _unknown_key(key: str, file: str, known: Sequence[str], what: str = "a key of a policy") -> SettingsError:
    listed = f"write one of {', '.join(known)}" if known else "it has none"
    return SettingsError(f"{key} in {file} is not {what}; remove it or {listed}.", key=key, file=file)


def _missing_key(key: str, file: str, advice: str = "write it") -> SettingsError:
    return SettingsError(f"{key} in {file} is missing; {advice}.", key=key, file=file)


def _out_of_range(key: str, file: str, problem: str) -> SettingsError:
    return SettingsError(f"{key} in {file} is out of range: {problem}; correct it.", key=key, file=file)
