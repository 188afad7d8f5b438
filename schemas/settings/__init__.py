"""Settings: their sources and the errors of wrong ones.

Precedence, key by key: flags, environment, file, defaults. Money is in roubles in the keys and in integer kopecks in
the properties. The API key is read from the environment or from a separate file.
"""

import tomllib
from collections.abc import Mapping, Sequence
from decimal import Decimal
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, cast

from pydantic import AfterValidator, BaseModel, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, EnvSettingsSource, PydanticBaseSettingsSource, SettingsConfigDict
from pydantic_settings import SettingsError as MalformedValue

from innspect.schemas.decoders import Conventions
from innspect.schemas.errors import SettingsError, value_problem
from innspect.schemas.risk_policy.policy_file import FILE_NAME as POLICY_FILE_NAME
from innspect.schemas.risk_policy.policy_file import load_policies
from innspect.schemas.risk_policy.policy_model import Policies
from innspect.schemas.settings.environment import NESTED, PREFIX, check_variables
from innspect.schemas.settings.notify import Notify
from innspect.schemas.settings.profiles import DEFAULT, DEFAULT_PROFILES, Profile
from innspect.schemas.settings.sections import (
    Alerts,
    Budget,
    Publish,
    Report,
    Schedule,
    Service,
    Stores,
    cluster_address,
    time_zone,
)

SHORT_NAMES: Mapping[str, str] = {"INNSPECT_BASE_URL": "INNSPECT_SERVICE__BASE_URL"}
FLAGS: Mapping[str, str] = {
    "budget.run_rub": "--budget",
    "service.base_url": "--base-url",
    "default_profile": "--profile",
    "home": "--home",
}
"""The flags of the command line, by the setting that they override."""
FLAG_HINTS: Mapping[str, str] = {"--expand": ", or none"}
"""What a flag accepts besides the values of its setting."""
PROFILE_FLAGS: Mapping[str, str] = {"expand": "--expand", "expand_depth": "--depth", "max_age_days": "--max-age"}
"""The flags about the profile of an invocation, by its key."""
ENVIRONMENT, COMMAND_LINE = "the environment", "the command line"
DEFAULT_FILE = Path("configs/innspect.toml")

Layer = tuple[str, Mapping[str, Any]]
"""The name of a source and its settings."""


class Settings(BaseSettings):
    """All settings, validated; created by `load_settings`."""

    model_config = SettingsConfigDict(
        extra="forbid", frozen=True, env_prefix=PREFIX, env_nested_delimiter=NESTED, hide_input_in_errors=True
    )

    api_key: SecretStr | None = None
    home: Annotated[Path, AfterValidator(Path.expanduser)] = Path("data")
    default_profile: str = "full"
    source_timezone: Annotated[str, AfterValidator(time_zone)] = "Europe/Moscow"
    risk_policy: str = ""
    service: Service = Service()
    budget: Budget = Budget()
    profiles: dict[str, Profile] = Field(
        default_factory=lambda: {name: Profile.model_validate(body) for name, body in DEFAULT_PROFILES.items()}
    )
    stores: Stores = Stores()
    compute: Annotated[str, AfterValidator(cluster_address)] = "auto"
    schedules: dict[str, Schedule] = Field(default_factory=dict[str, Schedule])
    alerts: Alerts = Alerts()
    notify: dict[Annotated[str, Field(pattern=r"^[\w-]{1,40}$")], Notify] = Field(default_factory=dict[str, Notify])
    report: Report = Report()
    publish: Publish = Publish()

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Use the arguments only: the environment is an argument of `load_settings`."""
        return (init_settings,)

    def profile(self, name: str | None = None) -> Profile:
        """The profile of that name, or the default one; raises SettingsError for an unknown name."""
        chosen = name or self.default_profile
        if chosen not in self.profiles:
            known = ", ".join(self.profiles)
            raise SettingsError(f"There is no profile {chosen}; choose one of {known}.", profile=chosen)
        return self.profiles[chosen]

    @cached_property
    def policies(self) -> Policies:
        """The effective risk policies; raises SettingsError."""
        return load_policies(Path(self.risk_policy).expanduser() if self.risk_policy else None)

    @property
    def conventions(self) -> Conventions:
        """How the service writes what its documents leave open."""
        return Conventions(self.source_timezone, self.service.ok_statuses)

    @property
    def ledger(self) -> str | Path:
        """The ledger's database URL, or the path of its file."""
        return self.stores.ledger or self.ledger_of_home

    @property
    def ledger_of_home(self) -> Path:
        """The ledger's file without `stores.ledger`."""
        return self.home / "ledger.sqlite"

    @property
    def archive(self) -> Path | str:
        """The archive's folder, or its URL in an object store."""
        named = self.stores.archive
        return named if "://" in named else Path(named) if named else self.home / "archive"

    @property
    def warehouse(self) -> str | Path:
        """The DuckDB file, or a DuckLake URL."""
        return self.stores.warehouse or self.home / "warehouse.duckdb"

    @property
    def published_folder(self) -> Path:
        """The folder of the read-only copy."""
        return self.home / "published"

    @property
    def reports_folder(self) -> Path:
        """The folder of the reports."""
        return self.home / "reports"

    @property
    def lock(self) -> Path:
        """The lock file of the home."""
        return self.home / "innspect.lock"


def load_settings(config: Path | None, environ: Mapping[str, str], overrides: Mapping[str, Any]) -> Settings:
    """The settings of one invocation.

    `config` None: the default file in the current folder, or the defaults without one. `overrides`: the flags, as
    nested tables or dotted names such as `budget.run_rub`; None is a flag that is not given, and `profile.` in a name
    stands for the profile of the invocation. The risk policy is in the same folder as the settings file unless a
    setting names another; it is read and validated here.

    Raises SettingsError, which names the key and its source.
    """
    where = DEFAULT_FILE if config is None else config
    environment, key = _read_environment(environ)
    flags = _override_tree(overrides)
    of_profile = flags.pop("profile", {})
    layers: list[Layer] = [
        ("the built-in defaults", {"profiles": DEFAULT_PROFILES}),
        (str(where), _read_file(where, required=config is not None)),
        (ENVIRONMENT, environment),
        (COMMAND_LINE, flags),
    ]
    merged: Mapping[str, Any] = {}
    for source, layer in layers:
        _check_keys(source, layer)
        merged = _merge(merged, layer)
    name = merged.get("default_profile", Settings.model_fields["default_profile"].default)
    if of_profile and name in merged["profiles"]:
        layers.append((COMMAND_LINE, {"profiles": {name: of_profile}}))
        merged = _merge(merged, layers[-1][1])
    try:
        settings = Settings.model_validate({**merged, "api_key": key})
    except ValidationError as fault:
        raise _settings_error(fault, layers, environ) from None
    _check_profiles(settings, layers)
    found: dict[str, Any] = {}
    if not settings.risk_policy and (policy := where.with_name(POLICY_FILE_NAME)).is_file():
        found["risk_policy"] = str(policy)
    if not key:
        found["api_key"] = _read_key_file(settings.service.api_key_file)
    settings = settings.model_copy(update=found)
    # A wrong policy is refused before anything is spent.
    _ = settings.policies
    return settings


def _check_profiles(settings: Settings, layers: Sequence[Layer]) -> None:
    named = {("default_profile",): settings.default_profile}
    named |= {("schedules", name, "profile"): schedule.profile for name, schedule in settings.schedules.items()}
    for path, profile in named.items():
        if profile and profile not in settings.profiles:
            key, source = ".".join(path), _source_of(layers, path)
            if source == COMMAND_LINE:
                raise SettingsError(
                    f"{FLAGS[key]} {profile} names no profile; write one of {', '.join(settings.profiles)}.",
                    key=key,
                    file=source,
                )
            raise SettingsError(
                f"{key} in {source} names no profile ({profile}); write one of {', '.join(settings.profiles)}.",
                key=key,
                file=source,
            )


def _read_file(path: Path, *, required: bool) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"), parse_float=Decimal)
    except FileNotFoundError:
        if not required:
            return {}
        raise SettingsError(
            f"There is no settings file {path}; name another with --config or leave the flag out.", file=str(path)
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as fault:
        raise SettingsError(
            f"The settings file {path} cannot be read ({fault}); correct it or name another with --config.",
            file=str(path),
        ) from None


def _read_environment(environ: Mapping[str, str]) -> tuple[dict[str, Any], str | None]:
    variables = {name.upper(): text for name, text in environ.items() if name.upper().startswith(PREFIX) and text}
    check_variables(variables, Settings, SHORT_NAMES)
    key = variables.pop("INNSPECT_API_KEY", None)
    for short, full in SHORT_NAMES.items():
        if short in variables:
            variables[full] = variables.pop(short)
    return _parse_environment(variables), key.strip() if key else None


def _parse_environment(environ: Mapping[str, str]) -> dict[str, Any]:
    source = EnvSettingsSource(Settings)
    source.env_vars = {name.lower(): text for name, text in environ.items()}
    try:
        return source()
    except MalformedValue:
        if len(environ) > 1:
            # One by one, to find the malformed one.
            for name, text in environ.items():
                _parse_environment({name: text})
        raise SettingsError(
            f"{', '.join(environ)} in the environment cannot be read; write lists and tables as JSON there.",
            key=", ".join(environ),
        ) from None


def _override_tree(overrides: Mapping[str, Any]) -> dict[str, Any]:
    tree: dict[str, Any] = {}
    for name, value in overrides.items():
        if value is None:
            continue
        nested: Any = value
        for part in reversed(name.split(".")):
            nested = {part: nested}
        tree = _merge(tree, nested)
    return tree


def _merge(lower: Mapping[str, Any], upper: Mapping[str, Any]) -> dict[str, Any]:
    merged = dict(lower)
    for key, value in upper.items():
        below = merged.get(key)
        if isinstance(value, Mapping) and isinstance(below, Mapping):
            merged[key] = _merge(cast("Mapping[str, Any]", below), cast("Mapping[str, Any]", value))
        elif isinstance(value, Mapping) and key in _DAY_TABLES and below is not None:
            # The number below applies to every block that this table does not name.
            merged[key] = {DEFAULT: below, **cast("Mapping[str, Any]", value)}
        else:
            merged[key] = value
    return merged


_DAY_TABLES = ("max_age_days", "retry_unconfirmed_days")


def _check_keys(source: str, layer: Mapping[str, Any]) -> None:
    service: Any = layer.get("service")
    if "api_key" in layer or (isinstance(service, Mapping) and "api_key" in service):
        raise SettingsError(
            f"The API key is in {source}; move it to INNSPECT_API_KEY or to a separate file that "
            "service.api_key_file names.",
            key="api_key",
            file=source,
        )
    for name in layer:
        if name not in Settings.model_fields:
            raise SettingsError(
                f"{name} in {source} is not a setting; remove it or write one of {', '.join(_setting_names())}.",
                key=name,
                file=source,
            )


def _setting_names() -> list[str]:
    return [name for name in Settings.model_fields if name != "api_key"]


def _settings_error(fault: ValidationError, layers: Sequence[Layer], environ: Mapping[str, str]) -> SettingsError:
    first = fault.errors(include_input=False, include_url=False)[0]
    path = [str(part) for part in first["loc"]]
    key = ".".join(path)
    missing = first["type"] == "missing"
    source = _source_of(layers, path[:-1] if missing else path)
    problem = value_problem(first["msg"])
    if first["type"] == "path_type":
        problem = "must be a path, in quotes"
    flag = PROFILE_FLAGS.get(path[2]) if path[:1] == ["profiles"] and len(path) > 2 else FLAGS.get(key)
    if source == COMMAND_LINE and flag is not None:
        # The value of a flag is no secret, and it is what the user has just typed.
        value = _value_at(layers, path)
        if path[-1].endswith("_rub"):
            return SettingsError(f"{flag} {value} is not an amount; write 500 or 500.50.", key=key, file=source)
        return SettingsError(
            f"{flag} {value} is not valid: it {problem}{FLAG_HINTS.get(flag, '')}.", key=key, file=source
        )
    if source == ENVIRONMENT:
        source = f"{source} ({_variable_of(path, environ)})"
    if first["type"] == "extra_forbidden":
        known = ", ".join(_SECTIONS[path[0]].model_fields)
        return SettingsError(
            f"{key} in {source} is not a setting; remove it or write one of {known}.", key=key, file=source
        )
    if missing:
        return SettingsError(f"{key} in {source} is missing; write it.", key=key, file=source)
    return SettingsError(f"{key} in {source} is out of range: {problem}; correct it.", key=key, file=source)


def _variable_of(path: Sequence[str], environ: Mapping[str, str]) -> str:
    """The environment variable with the value of a key, or with a list or table above it."""
    given = {name.upper() for name, text in environ.items() if text}
    short_names = {full: short for short, full in SHORT_NAMES.items()}
    names = [f"{PREFIX}{NESTED.join(path[:length]).upper()}" for length in range(len(path), 0, -1)]
    candidates = [spelled for name in names for spelled in (short_names.get(name), name)]
    return next((name for name in candidates if name in given), names[0])


_SECTIONS: Mapping[str, type[BaseModel]] = {
    "service": Service,
    "budget": Budget,
    "profiles": Profile,
    "stores": Stores,
    "schedules": Schedule,
    "alerts": Alerts,
    "notify": Notify,
    "report": Report,
    "publish": Publish,
}


def _source_of(layers: Sequence[Layer], path: Sequence[str]) -> str:
    """The name of the highest layer that defines the key; of the defaults if none does."""
    return next((name for name, layer in reversed(layers) if _defines(layer, path)), layers[0][0])


def _defines(layer: Mapping[str, Any], path: Sequence[str]) -> bool:
    """Whether the layer defines the key, or a value other than a table above it."""
    at: Any = layer
    for part in path:
        if not isinstance(at, Mapping):
            return True
        table = cast("Mapping[str, Any]", at)
        if part not in table:
            return False
        at = table[part]
    return True


def _value_at(layers: Sequence[Layer], path: Sequence[str]) -> Any:
    """The value of a key in the highest layer that defines it, or the value in the place of a table above it."""
    at: Any = next(layer for _, layer in reversed(layers) if _defines(layer, path))
    for part in path:
        if isinstance(at, Mapping):
            at = cast("Mapping[str, Any]", at)[part]
        elif isinstance(at, list):
            at = cast("list[Any]", at)[int(part)]
    return at


def _read_key_file(name: str) -> SecretStr | None:
    if not name:
        return None
    try:
        key = Path(name).expanduser().read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError):
        key = ""
    if not key:
        raise SettingsError(
            f"The file {name} that service.api_key_file names holds no readable key; write the key in it or set "
            "INNSPECT_API_KEY.",
            key="service.api_key_file",
            file=name,
        )
    return SecretStr(key)
