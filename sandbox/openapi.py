"""The OpenAPI document, derived from the declarations: every field with its type, format and meaning."""

from typing import Any

from innspect.sandbox.options import Envelope
from innspect.schemas.catalogue import ACCOUNT, BLOCKS, FULL_CHECK, METHODS, PING, service_methods
from innspect.schemas.declaration import (
    Block,
    Duplicate,
    Echo,
    Field,
    Ignored,
    Inline,
    Leaves,
    List,
    Map,
    Mark,
    Method,
    Part,
    Reserved,
    Row,
)
from innspect.schemas.decoders import ENVELOPE
from innspect.schemas.kinds import Form, Kind, describe_layout

Schema = dict[str, Any]
ANYTHING = ["object", "array", "string", "number", "boolean", "null"]
_TYPES: dict[Form, Schema] = {
    Form.TEXT: {"type": "string"},
    Form.LABEL: {"type": ["string", "integer"]},
    Form.INTEGER: {"type": "integer", "format": "int64"},
    Form.YEAR: {"type": ["integer", "string"], "format": "year"},
    Form.NUMBER: {"type": "number", "format": "double"},
    Form.MONEY: {"type": "number", "format": "rub"},
    Form.FLAG: {"type": "boolean"},
    Form.DATE: {"type": "string"},
    Form.INSTANT: {"type": "string"},
    Form.UNIX: {"type": "integer", "format": "unix-seconds"},
    Form.JSON: {"type": ANYTHING},
}
_ENVELOPE: dict[str, Schema] = {
    "price": {"type": "number", "format": "rub", "description": "Price of the request."},
    "balance": {"type": "number", "format": "rub", "description": "Balance of the account."},
    "status": {"type": "string", "description": "ok, or unavailable if the source did not respond."},
    "message": {"type": "string", "description": "Why it is unavailable, else empty."},
    "last_updated_at": {"type": "integer", "format": "unix-seconds", "description": "When the collection began."},
}
_ACCOUNT: Schema = {
    "type": "object",
    "properties": {
        "balance": {"type": "number", "format": "rub", "description": "Balance of the account."},
        "status": {"type": "string", "description": "Status of the access."},
        "spend_30_days": {"type": "number", "format": "rub", "description": "Charged within the last 30 days."},
    },
}
_PING: Schema = {
    "type": "object",
    "properties": {"valid": {"type": "boolean", "description": "The key is accepted."}},
}
_ERROR: Schema = {
    "type": "object",
    "required": ["status", "error", "message"],
    "properties": {
        "status": {"type": "string", "const": "error"},
        "error": {"type": "string", "description": "Error code."},
        "message": {"type": "string", "description": "The error in words."},
    },
}
_CHARGE: Schema = {
    "type": "object",
    "properties": {
        "time": {"type": "string", "format": "date-time", "description": "Time of the charge."},
        "key": {"type": "string", "description": "API key."},
        "inn": {"type": "string", "description": "Requested INN."},
        "method": {"type": "string", "enum": sorted(METHODS), "description": "Requested method."},
        "price": {"type": "number", "format": "rub", "description": "Charged price."},
        "balance": {"type": "number", "format": "rub", "description": "Remaining balance."},
    },
}
_BILL: Schema = {
    "type": "object",
    "required": ["total", "count", "balances", "calls"],
    "properties": {
        "total": {"type": "number", "format": "rub", "description": "Sum of all charges."},
        "count": {"type": "integer", "description": "Number of charges."},
        "balances": {"type": "object", "additionalProperties": {"type": "number", "format": "rub"}},
        "calls": {"type": "array", "items": _CHARGE, "description": "Charges in their order."},
    },
}
_REFUSALS = {
    401: "The key is missing or unknown.",
    402: "The balance does not cover the price.",
    403: "The key is blocked.",
    422: "The INN is of another length, or its check digits do not hold.",
    429: "Too many requests; repeat after Retry-After.",
    500: "The service failed.",
    502: "The service failed.",
    503: "The service is busy.",
}
_INN_PATTERNS = {10: r"^[0-9]{10}$", 12: r"^[0-9]{12}$", -1: r"^([0-9]{10}|[0-9]{12})$"}


def kind_schema(kind: Kind) -> Schema:
    """The schema of a scalar; text may always be empty: the service has no null text."""
    schema = dict(_TYPES[kind.form])
    if kind.values:
        schema["enum"] = [*kind.values, ""]
    if kind.pattern:
        schema |= {"pattern": f"^$|{kind.pattern}", "format": kind.name}
    if kind.formats:
        schema["format"] = " or ".join(map(describe_layout, kind.formats))
    if kind.bounds and schema["type"] in ("integer", "number"):
        schema |= {"minimum": kind.bounds[0], "maximum": kind.bounds[1]}
    return schema


def _part(part: Part) -> Schema:
    match part:
        case Field():
            unit = f" In units of {part.full_check_unit} in the full check." if part.full_check_unit > 1 else ""
            return {**kind_schema(part.kind), "description": part.description + unit}
        case Duplicate():
            return {**kind_schema(part.kind), "description": f"The same as {part.of}. {part.reason}"}
        case Mark():
            one = kind_schema(part.kind)
            return {**({"type": "array", "items": one} if part.many else one), "description": part.description}
        case Echo():
            return {"type": "string", "format": "inn", "description": part.description}
        case Reserved():
            return {"const": part.empty, "type": _type_of(part.empty), "description": part.reason}
        case Ignored():
            return {"type": "object", "description": part.reason}
        case Leaves():
            return {"type": ANYTHING, "description": part.description}
        case List():
            of = kind_schema(part.of) if isinstance(part.of, Kind) else row_schema(part.of)
            return {"type": "array", "items": of, "description": part.description}
        case Map():
            return _map(part)
        case Inline():
            inner = row_schema(part.of)
            other = [{"type": "null"}] if part.record else [{"type": "string", "maxLength": 0}] if part.or_text else []
            return {**({"anyOf": [inner, *other]} if other else inner), "description": part.description}


def _type_of(empty: Any) -> str:
    names = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object"}
    return names[type(empty)]


def _map(part: Map) -> Schema:
    constants = {name for name, _ in part.label}
    inner = {name: one for name, one in part.of.row_parts.items() if name not in {*part.keys, *constants}}
    if part.many or len(inner) > 1:
        bottom: Schema = {"type": "object", "properties": {name: _part(one) for name, one in inner.items()}}
        bottom = {"type": "array", "items": bottom} if part.many else bottom
    else:
        bottom = _part(next(iter(inner.values())))
    for _ in part.keys:
        bottom = {"type": "object", "additionalProperties": bottom}
    return {**bottom, "description": part.description}


def row_schema(row: type[Row], *, full_check: bool = False) -> Schema:
    """The schema of an object; `full_check`: without the fields that the full check does not carry."""
    parts = {name: part for name, part in row.row_parts.items() if not full_check or getattr(part, "full_check", True)}
    return {"type": "object", "properties": {name: _part(part) for name, part in parts.items()}}


def block_schema(block: type[Block], *, full_check: bool = False) -> Schema:
    """The schema of a block's payload: an object, an array, or an object of unknown content."""
    described = " ".join((block.__doc__ or "").split())
    if block.rows_at_root:
        return {**_part(block.row_parts[block.rows_at_root]), "description": described}
    if block.undocumented:
        return {"type": "object", "additionalProperties": True, "description": described}
    return {**row_schema(block, full_check=full_check), "description": described}


def _full_check() -> Schema:
    blocks = {
        block.full_check_key: block_schema(block, full_check=True) for block in BLOCKS.values() if block.full_check_key
    }
    names = {"type": "array", "items": {"type": "string"}}
    meta = {
        "inn": {"type": "string", "format": "inn", "description": "INN checked."},
        "fetched_at": {"type": "integer", "format": "unix-seconds", "description": "When the collection began."},
        "elapsed_s": {"type": "number", "format": "double", "description": "Duration in seconds."},
        "restored_from_local": {**names, "description": "Blocks from the local store."},
    }
    marks = {
        "_verified_empty_blocks": {**names, "description": "Blocks that were queried and are empty."},
        "_meta": {"type": "object", "properties": meta, "description": "About the collection."},
    }
    return {"type": "object", "properties": {**blocks, **marks}}


def _answer(method: Method, style: Envelope) -> Schema:
    payload = _payload(method)
    if style == "data":
        return {"type": "object", "required": [*ENVELOPE, "data"], "properties": {**_ENVELOPE, "data": payload}}
    if payload["type"] == "array":
        return payload
    own = {name: schema for name, schema in _ENVELOPE.items() if name not in payload.get("properties", {})}
    return {**payload, "required": list(ENVELOPE), "properties": {**payload.get("properties", {}), **own}}


def _payload(method: Method) -> Schema:
    match method.name:
        case name if name == ACCOUNT:
            return _ACCOUNT
        case name if name == PING:
            return _PING
        case name if name == FULL_CHECK:
            return _full_check()
        case _:
            return block_schema(BLOCKS[method.block])


def _content(schema: Schema) -> Schema:
    return {"application/json": {"schema": schema}}


def _operation(method: Method, style: Envelope) -> Schema:
    error = {"$ref": "#/components/schemas/Error"}
    skipped = set[int]() if method.digits else {422}
    skipped |= set[int]() if method.price else {402}
    responses: Schema = {
        "200": {"description": "The response.", "content": _content({"$ref": f"#/components/schemas/{method.name}"})}
    }
    for status, text in _REFUSALS.items():
        if status not in skipped:
            responses[str(status)] = {"description": text, "content": _content(error)}
    responses["429"]["headers"] = {"Retry-After": {"schema": {"type": "integer"}, "description": "Seconds to wait."}}
    price = f"{method.price // 100} RUB." if method.price else "Free."
    operation: Schema = {"operationId": method.name, "summary": f"{method.name}: {price}", "responses": responses}
    if method.digits:
        inn = {"type": "string", "format": f"inn{method.digits}", "pattern": _INN_PATTERNS[method.digits]}
        operation["parameters"] = [{"name": "inn", "in": "path", "required": True, "schema": inn}]
    return {**operation, "security": [{"key": []}], "tags": [style]}


def openapi_document(style: Envelope, person_methods: tuple[str, ...] = ()) -> Schema:
    """The OpenAPI document for one of the two envelopes; `person_methods` are company methods that persons have too."""
    bill = {"200": {"description": "The bill.", "content": _content({"$ref": "#/components/schemas/Bill"})}}
    paths: Schema = {
        method.path: {"get": _operation(method, style)} for method in service_methods(person_methods).values()
    }
    paths["/sandbox/bill"] = {"get": {"operationId": "bill", "summary": "Charged price.", "responses": bill}}
    paths["/sandbox/reset"] = {
        "post": {"operationId": "reset", "summary": "Opening balances and an empty bill.", "responses": bill}
    }
    schemas = {method.name: _answer(method, style) for method in METHODS.values()}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Counterparty check, sandbox", "version": "1",
                 "description": "Generated companies; no statement is about a real one."},
        "paths": paths,
        "components": {
            "schemas": {**schemas, "Error": _ERROR, "Bill": _BILL},
            "securitySchemes": {"key": {"type": "apiKey", "in": "header", "name": "X-Api-Key"}},
        },
    }  # fmt: skip
