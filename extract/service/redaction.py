"""Mask the API key in response bodies."""

import json
from urllib.parse import quote

_MIN_PREFIX_BYTES = 4


def mask_key(body: bytes, key: str) -> tuple[bytes, bool]:
    """The body with the key replaced by asterisks, in every JSON and URL spelling; and whether there was one."""
    is_masked = False
    for spelling in _spellings(key):
        if spelling in body:
            body, is_masked = body.replace(spelling, b"*" * len(spelling)), True
    return body, is_masked


def mask_truncated_key(body: bytes, key: str) -> tuple[bytes, bool]:
    """`mask_key` for a truncated body: masks the beginning of a key at its end too."""
    body, is_masked = mask_key(body, key)
    plain = key.encode()
    for length in range(min(len(plain), len(body)), _MIN_PREFIX_BYTES - 1, -1):
        if body.endswith(plain[:length]):
            return body[:-length] + b"*" * length, True
    return body, is_masked


def _spellings(key: str) -> set[bytes]:
    if not key:
        return set()
    lower = "".join(f"\\u{ord(letter):04x}" for letter in key)
    upper = "".join(f"\\u{ord(letter):04X}" for letter in key)
    inside = json.dumps(key)[1:-1]
    return {text.encode() for text in (key, inside, inside.replace("/", "\\/"), quote(key, safe=""), lower, upper)}
