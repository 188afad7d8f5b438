"""Names of environment variables that are settings; a name that is none is refused with the nearest known one."""

from collections.abc import Iterable, Iterator, Sequence
from difflib import get_close_matches
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from innspect.schemas.errors import SettingsError

PREFIX, NESTED = "INNSPECT_", "__"
NOT_SETTINGS = ("INNSPECT_FAULT_POINT",)
"""Variables that other parts of innspect read."""
MIN_SIMILARITY = 0.5


def check_variables(names: Iterable[str], model: type[BaseModel], short_names: Iterable[str]) -> None:
    """Raise SettingsError for a variable, in capital letters, that names no setting of the model."""
    others = {*short_names, *NOT_SETTINGS}
    for name in names:
        parts = name.removeprefix(PREFIX).lower().split(NESTED)
        if name not in others and not _is_setting(model, parts):
            known = [*others, *(PREFIX + NESTED.join(path).upper() for path in _paths(model, parts))]
            nearest = get_close_matches(name, known, n=1, cutoff=MIN_SIMILARITY)
            remedy = (
                f"write {nearest[0]} or unset it" if nearest else "unset it; configs/innspect.toml lists all settings"
            )
            raise SettingsError(f"{name} in the environment is no setting; {remedy}.", key=name)


def _is_setting(annotation: Any, parts: Sequence[str]) -> bool:
    """Whether these parts name a value of an annotated type: a field of a model, or a key of a table."""
    if not parts:
        return True
    fields = _fields(annotation)
    if fields is not None:
        return parts[0] in fields and _is_setting(fields[parts[0]], parts[1:])
    table = _table_value(annotation)
    return table is not None and _is_setting(table, parts[1:])


def _paths(annotation: Any, parts: Sequence[str]) -> Iterator[tuple[str, ...]]:
    """The paths of all settings; a key of a table is written as in `parts`."""
    fields = _fields(annotation)
    value = _table_value(annotation)
    if fields is not None:
        for name, inner in fields.items():
            yield from ((name, *rest) for rest in _paths(inner, parts[1:]))
    elif value is not None and parts:
        yield from ((parts[0], *rest) for rest in _paths(value, parts[1:]))
    else:
        yield ()


def _fields(annotation: Any) -> dict[str, Any] | None:
    """The fields of a model with their types; None for any other type."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return {name: field.annotation for name, field in annotation.model_fields.items()}
    return None


def _table_value(annotation: Any) -> Any:
    """The type of the values of a table, also of an optional or annotated one; None for any other type."""
    if get_origin(annotation) is dict:
        return get_args(annotation)[1]
    return next((found for part in get_args(annotation) if (found := _table_value(part)) is not None), None)
