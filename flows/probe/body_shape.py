"""The shape of a body without its values: paths, JSON types, formats; and error bodies with their data masked."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

MAX_PATHS = 400
"""Paths of one body that are listed."""
MAX_BODY_CHARS = 600
"""Characters of an error body that are shown."""
MAX_UNIX_SECONDS = 2**32
MIN_UNIX_SECONDS = 10**9
IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,39}")
"""A key that names a field. Any other key may be data, such as a year or a name."""
CODE = re.compile(r"[a-z]+(?:_[a-z]+){0,5}")
"""A word of an enumeration."""
STATUS_WORD = re.compile(r"[a-zа-яё]+(?:[ _-][a-zа-яё]+){0,3}")
REASON = re.compile(r"[a-z0-9_]{1,40}(?::[a-z0-9_ -]{1,40})?")
"""A code that the coverage rules or the service give as a reason."""
_FORMATS = (
    (r"", "empty text"),
    (r"\s+", "blank text"),
    (r"\d{2}\.\d{2}\.\d{4}", "dd.mm.yyyy"),
    (r"\d{2}/\d{2}/\d{4}", "dd/mm/yyyy"),
    (r"\d{2}-\d{2}-\d{4}", "dd-mm-yyyy"),
    (r"\d{2}\.\d{2}\.\d{2}", "dd.mm.yy"),
    (r"\d{4}-\d{2}-\d{2}", "yyyy-mm-dd"),
    (r"\d{4}\.\d{2}\.\d{2}", "yyyy.mm.dd"),
    (r"\d{4}/\d{2}/\d{2}", "yyyy/mm/dd"),
    (r"\d{2}\.\d{2}\.\d{4} \d{2}:\d{2}", "dd.mm.yyyy hh:mm"),
    (r"\d{2}\.\d{2}\.\d{4} \d{2}:\d{2}:\d{2}", "dd.mm.yyyy hh:mm:ss"),
    (r"\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}", "yyyy-mm-dd hh:mm:ss"),
    (r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?", "ISO 8601"),
    (r"\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?(Z|[+-]\d{2}:?\d{2})", "ISO 8601 with time zone"),
    (r"\d{2}:\d{2}(:\d{2})?", "time"),
    (r"-?\d+[.,]\d+", "decimal number as text"),
    (r"https?://\S+", "web address"),
    (r"[^@\s]+@[^@\s]+\.[^@\s]+", "e-mail address"),
    (r"(?i)[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", "UUID"),
    (r"\+?[\d() -]*\(?\d{3}\)?[\d() -]*[() +-][\d() +-]*", "phone number"),
    (r"(?i)true|false", "boolean as text"),
)
_COMPILED = tuple((re.compile(pattern), name) for pattern, name in _FORMATS)
_QUOTED = re.compile(r"«[^»]*»|“[^”]*”|\"[^\"]*[А-Яа-яЁё][^\"]*\"")
_ADDRESS = re.compile(r"[^@\s<>\"']+@[^@\s<>\"']+")
_DIGITS = re.compile(r"\d{5,}")
_TOKEN = re.compile(r"\b(?=\w*\d)(?=\w*[A-Za-z])\w{12,}\b")
_NAMES = re.compile(
    r"\b[А-ЯЁ][а-яё]+(?:[ -][А-ЯЁ][а-яё]+)+\b|\b[А-ЯЁ]{2,}(?:[ -][А-ЯЁ]{2,})+\b|(?<=[а-яё,:] )[А-ЯЁ][а-яё]+\b"
)
"""Cyrillic words with capital letters that are not the first word of a sentence."""


def text_format(text: str) -> str:
    """The format of a text, such as `dd.mm.yyyy`; never the text."""
    for pattern, name in _COMPILED:
        if pattern.fullmatch(text):
            return name
    if text.isdecimal():
        return f"{len(text)} digits"
    if CODE.fullmatch(text):
        return "word of Latin letters"
    if len(text) <= 40 and text[:1] in "[{" and text[-1:] in "]}":
        return "JSON as text"
    return "text" if len(text) <= 200 else "long text"


def value_format(value: Any) -> str:
    """The format of a JSON value, such as `dd.mm.yyyy`, `integer` or `list`; never the value."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int():
            return "unix seconds" if MIN_UNIX_SECONDS <= value < MAX_UNIX_SECONDS else "integer"
        case float():
            return "number"
        case str():
            return text_format(value)
        case list():
            return "list" if value else "empty list"  # pyright: ignore[reportUnknownVariableType]
        case _:
            return "object" if value else "empty object"


def json_type(value: Any) -> str:
    """The JSON type of a value."""
    match value:
        case None:
            return "null"
        case bool():
            return "boolean"
        case int() | float():
            return "number"
        case str():
            return "string"
        case list():
            return "array"
        case _:
            return "object"


def sample_format(sample: str | None) -> str:
    """The format of a sample as the lineage tables hold it: JSON, a text, or the beginning of either."""
    if sample is None:
        return ""
    try:
        value = json.loads(sample)
    except ValueError:
        opening = {"{": "object", "[": "list"}.get(sample[:1])
        return opening or text_format(sample)
    return value_format(value)


def mask_key_name(name: str) -> str:
    """The name of a key; a key that may be data is replaced by its format."""
    return name if IDENTIFIER.fullmatch(name) else f"<{text_format(name)}>"


def mask_path(path: str) -> str:
    """A path of names, without positions and with every name that may be data masked."""
    parts = re.sub(r"\[\d+\]", "[]", path).split(".")
    return ".".join(_mask_part(part) for part in parts)


def _mask_part(part: str) -> str:
    name, bracket, rest = part.partition("[")
    return (mask_key_name(name) if name not in ("", "$") else name) + bracket + rest


def mask_status(word: str) -> str:
    """A status word, lower-case as the program compares it; one that is no word is masked."""
    folded = word.casefold()
    return folded if STATUS_WORD.fullmatch(folded) else f"<{text_format(word)}>"


def mask_reason(reason: str) -> str:
    """The reason of a coverage state: codes are shown, texts of the service masked."""
    parts = [part for part in reason.split(",") if part]
    return ", ".join(part if REASON.fullmatch(part) else mask_text(part) for part in parts)


@dataclass(slots=True)
class PathShape:
    """What was received at one path: number of values by JSON type, and by format."""

    path: str
    types: Counter[str] = field(default_factory=Counter[str])
    formats: Counter[str] = field(default_factory=Counter[str])

    def as_json(self) -> dict[str, Any]:
        """The row of a structure listing."""
        count = self.types.total()
        empty = sum(self.formats[name] for name in ("null", "empty text", "blank text", "empty list", "empty object"))
        return {
            "path": self.path,
            "values": count,
            "types": dict(self.types.most_common()),
            "empty_share": round(empty / count, 2),
            "formats": dict(self.formats.most_common()),
        }


def list_structure(bodies: Iterable[Any], shown_words: Collection[str] = ()) -> list[dict[str, Any]]:
    """The paths of decoded bodies with types and formats, in the order of first occurrence.

    `shown_words`: keys whose texts are words of an enumeration about the account, which are shown.
    """
    shapes: dict[str, PathShape] = {}
    for body in bodies:
        for path, value in _walk(body, "$"):
            if path not in shapes and len(shapes) >= MAX_PATHS:
                continue
            shape = shapes.setdefault(path, PathShape(path))
            shape.types[json_type(value)] += 1
            is_shown = isinstance(value, str) and value != "" and path.rpartition(".")[2] in shown_words
            shape.formats[f"word “{mask_status(value)}”" if is_shown else value_format(value)] += 1
    return [shape.as_json() for shape in shapes.values()]


def _walk(root: Any, path: str) -> Iterator[tuple[str, Any]]:
    waiting: list[tuple[str, Any]] = [(path, root)]
    while waiting:
        path, value = waiting.pop()
        yield path, value
        if isinstance(value, dict):
            inner: list[tuple[str, Any]] = [
                (f"{path}.{mask_key_name(str(name))}", one)
                for name, one in value.items()  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            ]
        elif isinstance(value, list):
            inner = [(f"{path}[]", one) for one in value]  # pyright: ignore[reportUnknownVariableType]
        else:
            continue
        waiting += reversed(inner)


def mask_text(text: str, secrets: Iterable[str] = ()) -> str:
    """A text of the service without INNs, keys, names, addresses and other long numbers."""
    for secret in secrets:
        if secret:
            text = text.replace(secret, "*" * min(len(secret), 12))
    for pattern, mask in (
        (_ADDRESS, "<address>"), (_QUOTED, "<quoted>"), (_TOKEN, "<token>"), (_NAMES, "<name>"), (_DIGITS, "<digits>"),
    ):  # fmt: skip
        text = pattern.sub(mask, text)
    return " ".join(text.split())[:MAX_BODY_CHARS]


def body_format(body: bytes) -> str:
    """`json`, `incomplete json`, `html`, `text`, `empty` or `bytes`."""
    stripped = body.strip()
    if not stripped:
        return "empty"
    try:
        json.loads(stripped)
    except (ValueError, RecursionError):
        pass
    else:
        return "json"
    if stripped[:1] in (b"{", b"["):
        return "incomplete json"
    try:
        text = stripped.decode("utf-8")
    except UnicodeDecodeError:
        return "bytes"
    return "html" if re.match(r"(?i)<(!doctype|html|head|body|\?xml)", text) else "text"


def decode_json(body: bytes) -> Any:
    """The decoded body, None if it is not JSON."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        return None


MESSAGE_KEYS = ("status", "error", "code", "message", "detail", "title", "type", "reason", "errors")
"""Keys of an error body whose texts are shown, masked; of the texts of other keys only the format is."""


def mask_body(body: bytes, secrets: Iterable[str]) -> str:
    """An error body that can be shown: the structure of JSON with masked messages, other text masked."""
    known = tuple(secrets)
    match body_format(body):
        case "json":
            return json.dumps(_mask_value(json.loads(body), "", known), ensure_ascii=False)[:MAX_BODY_CHARS]
        case "html" | "text":
            return mask_text(body.decode("utf-8", "replace"), known)
        case _:
            return ""


def _mask_value(value: Any, key: str, secrets: tuple[str, ...]) -> Any:
    match value:
        case dict():
            return {
                mask_key_name(str(name)): _mask_value(inner, str(name) if str(name) in MESSAGE_KEYS else key, secrets)
                for name, inner in value.items()  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
            }
        case list():
            return [_mask_value(inner, key, secrets) for inner in value[:3]]  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
        case str():
            return mask_text(value, secrets) if key in MESSAGE_KEYS else f"<{text_format(value)}>"
        case bool() | None:
            return value
        case _:
            is_code = isinstance(value, int) and key in MESSAGE_KEYS and abs(value) < 1000
            return value if is_code else f"<{value_format(value)}>"
