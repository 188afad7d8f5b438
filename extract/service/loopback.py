"""Addresses of this machine."""

from urllib.parse import urlsplit

LOOPBACK = ("localhost", "127.0.0.1", "::1")


def is_loopback(url: str) -> bool:
    """Whether the host of a URL is this machine."""
    return urlsplit(url).hostname in LOOPBACK
