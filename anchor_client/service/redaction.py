"""URLs with keys in them: what may be said of one, and text in which one may have been said anyway.

Node providers put keys into the path, the query or the user of a URL. An `Endpoint` is said by its scheme and host
alone. `scrub` takes the secrets of every endpoint out of a text: logs, traces, metrics and answers all pass through it.
"""

from __future__ import annotations

import re
import sys
import traceback
from types import TracebackType
from typing import Final
from urllib.parse import parse_qsl, unquote

HIDDEN: Final = "***"
MIN_SECRET: Final = 6
"""Shorter parts of a query or user are hidden with their URL, but not looked for on their own."""
MIN_SEGMENT: Final = 16
"""Shorter parts of a path are words."""

_URL: Final = re.compile(r"\b[a-z][a-z0-9+.-]*://[^\s'\"<>\\)\]}|,]+", re.IGNORECASE)
_BETWEEN: Final = re.compile(r"\s*,(?=\s*[a-z][a-z0-9+.-]*://)", re.IGNORECASE)
_AFTER_HOST: Final = re.compile(r"[/?#]")
_secrets: list[str] = []
"""The longest first, so that none is left over in part."""


class Endpoint:
    """A URL that this process uses: printed without what may be a key, which `scrub` hides from now on."""

    __slots__ = ("url",)

    def __init__(self, url: str) -> None:
        self.url = url
        hide(url)

    def __str__(self) -> str:
        return redact(self.url)

    __repr__ = __str__


def urls_of(urls: str) -> list[str]:
    """The URLs in a text that separates them by commas, each once; a URL may have commas of its own."""
    return list(dict.fromkeys(url.strip() for url in _BETWEEN.split(urls)))


def redact(urls: str) -> str:
    """Scheme, host and port of each URL; of one without a host, such as SQLite's, the path as well."""
    return ",".join(map(_redact, urls_of(urls)))


def _redact(url: str) -> str:
    scheme, separator, rest = url.rpartition("://")
    authority = _AFTER_HOST.split(rest, maxsplit=1)[0]
    tail = rest[len(authority) :]
    user, at, host = authority.rpartition("@")
    if not host:
        path, query, _ = tail.partition("?")
        return f"{scheme}{separator}{path}{query and '?' + HIDDEN}"
    # A path may be a key: many nodes' URLs end with one.
    path = "" if tail in ("", "/") else f"/{HIDDEN}"
    return f"{scheme}{separator}{(user or at) and HIDDEN + '@'}{host}{path}"


def hide(url: str) -> None:
    """Has `scrub` hide the parts of a URL that `redact` leaves out."""
    found = {part for part in _parts(url) if part not in _secrets}
    if found:
        _secrets.extend(found)
        # The longest first: one that contains another would be cut in two, and its rest stay.
        _secrets.sort(key=len, reverse=True)


def scrub(text: str) -> str:
    """The text without the secrets of endpoints, and with other URLs' users and queries hidden."""
    for secret in _secrets:
        text = text.replace(secret, HIDDEN)
    if "://" in text:
        return _URL.sub(lambda found: _without_key(found[0]), text)
    return text


def print_traceback(kind: type[BaseException], error: BaseException, trace: TracebackType | None) -> None:
    """Prints a traceback as `sys.excepthook` does, scrubbed."""
    sys.stderr.write(scrub("".join(traceback.format_exception(kind, error, trace))))


def _without_key(url: str) -> str:
    return redact(url) if "?" in url or "@" in url else url


def _parts(url: str) -> set[str]:
    rest = url.rpartition("://")[2]
    authority = _AFTER_HOST.split(rest, maxsplit=1)[0]
    user = authority.rpartition("@")[0]
    path, _, query = rest[len(authority) :].partition("?")
    if not authority.rpartition("@")[2]:
        path = ""
    short = {user, user.partition(":")[2], query, *(value for _, value in parse_qsl(query))}
    segments = {segment for segment in path.split("/") if len(segment) >= MIN_SEGMENT}
    known = {part for part in short if len(part) >= MIN_SECRET} | segments
    # Libraries quote a URL's parts and unquote them as they like.
    return known | {unquote(part) for part in known}
