"""Kinds of settings: how a text, a TOML value or a Python value becomes the value of one."""

from __future__ import annotations

import json
import math
import re
import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from ipaddress import ip_address
from typing import Any, Final
from urllib.parse import urlsplit

from anchor_client.service.home import expanded
from anchor_client.service.redaction import urls_of

TRUE: Final = ("1", "true", "yes", "on")
FALSE: Final = ("0", "false", "no", "off")
_NO_URL: Final = re.compile(r"[\s\x00-\x1f\x7f]")
"""Characters that are invalid in URLs, and that urlsplit drops or treats as part of a host."""


@dataclass(frozen=True, slots=True)
class SettingKind:
    """Values of a setting. `parse` makes one of a text, a TOML value, or a value; ValueError, or a typed error."""

    metavar: str
    parse: Callable[[Any], Any]
    option: Any = str
    """Type of the flag."""


def joined(named: Any) -> Any:
    """One text of a list, as configuration files have it; anything else unchanged."""
    return ",".join(map(str, named)) if isinstance(named, list | tuple) else named


def is_http_url(urls: str) -> bool:
    """True where each of these is an http or https URL with a host and a valid port."""
    return is_url(urls, ("http", "https"))


def is_url(urls: str, schemes: tuple[str, ...]) -> bool:
    """True where each of these is a URL of one of the schemes with a host and a valid port."""
    try:
        return all(_is_url(url, schemes) for url in urls_of(urls))
    except ValueError:
        return False


def _is_url(url: str, schemes: tuple[str, ...]) -> bool:
    """ValueError for a wrong port or address."""
    if _NO_URL.search(url):
        return False
    parts = urlsplit(url)
    return parts.scheme in schemes and _is_host(parts.hostname or "", parts.netloc) and parts.port != 0


def _is_host(name: str, authority: str) -> bool:
    """True for a name or an address. ValueError for a wrong IPv6 address."""
    if "[" in authority:
        return bool(ip_address(name.partition("%")[0]))
    return name.isprintable() and all(name.removesuffix(".").split("."))


def integer(least: int | None = None, most: int | None = None) -> SettingKind:
    """Whole numbers within bounds."""
    return SettingKind("INTEGER", lambda given: _within(_integer(given), least, most))


def number(*, least: float | None = None, above: float | None = None) -> SettingKind:
    """Numbers within bounds."""
    return SettingKind("FLOAT", lambda given: _number(given, least=least, above=above))


def text(pattern: str = ".*", says: str = "not valid", least: int = 0) -> SettingKind:
    """Text that matches a pattern, and has at least a number of characters."""

    def parse(given: Any) -> str:
        if not isinstance(given, str):
            raise ValueError("it is not text")
        if len(given) < least:
            raise ValueError(f"it has fewer than {least} characters")
        if not re.fullmatch(pattern, given, re.DOTALL):
            raise ValueError(f"it is {says}")
        return given

    return SettingKind("TEXT", parse)


def choice(known: type[StrEnum]) -> SettingKind:
    """Members of an enumeration."""
    return SettingKind("|".join(known), lambda given: _one_of(known, given))


def commas(check: Callable[[str], object] = str) -> SettingKind:
    """Text that separates values by commas, or a list of them; `check` raises ValueError for a wrong one."""

    def parse(given: Any) -> str:
        together = str(joined(given))
        for each in filter(None, map(str.strip, together.split(","))):
            check(each)
        return together

    return SettingKind("NAME,...", parse)


def table(parse: Callable[[Mapping[str, str]], Any]) -> SettingKind:
    """A table, or JSON of one."""

    def read(given: Any) -> Any:
        known = json.loads(given) if isinstance(given, str) else given
        if not isinstance(known, Mapping):
            raise ValueError("it is not a table")
        return parse(known)

    return SettingKind("JSON", read)


def _switch(given: Any) -> bool:
    word = str(given).lower()
    if word not in TRUE + FALSE:
        raise ValueError("it is neither true nor false")
    return word in TRUE


def _list(given: Any) -> tuple[str, ...]:
    return tuple(shlex.split(given) if isinstance(given, str) else map(str, given))


def _http(urls: str) -> str:
    if not is_http_url(urls):
        raise ValueError("it is not an http or https URL")
    return urls


def _integer(given: Any) -> int:
    try:
        if isinstance(given, bool | float):
            raise ValueError
        return int(given)
    except (ValueError, TypeError):
        raise ValueError("it is not a whole number") from None


def _number(given: Any, *, least: float | None = None, above: float | None = None) -> float:
    try:
        found = float(given)
    except (ValueError, TypeError):
        raise ValueError("it is not a number") from None
    if isinstance(given, bool) or not math.isfinite(found):
        raise ValueError("it is not a number")
    if above is not None and found <= above:
        raise ValueError(f"it is not more than {above:g}")
    return float(_within(found, least, None))


def _within(found: float, least: float | None, most: float | None) -> Any:
    if least is not None and found < least:
        raise ValueError(f"it is less than {least:g}")
    if most is not None and found > most:
        raise ValueError(f"it is more than {most:g}")
    return found


def _one_of(known: type[StrEnum], given: Any) -> StrEnum:
    try:
        return known(given)
    except ValueError:
        raise ValueError(f"it is not one of {', '.join(known)}") from None


TEXT: Final = text()
HOST_NAME: Final = "[A-Za-z0-9_:][A-Za-z0-9._:-]*"
"""A name or an IP address. It stands in commands and in files of ssh, where a host could otherwise write its own."""
HOST: Final = text(HOST_NAME, "neither a host name nor an IP address")
SWITCH: Final = SettingKind("", _switch, bool | None)
FILE: Final = SettingKind("PATH", expanded)
LIST: Final = SettingKind("TEXT", _list, list[str] | None)
"""A list; as text its parts are separated as in a shell."""
URL: Final = SettingKind("URL", lambda given: _http(str(joined(given))))
PORT: Final = integer(0, 65_535)
URL_OF_ANY_SCHEME: Final = SettingKind("URL", lambda given: str(joined(given)))
POSITIVE: Final = number(above=0)
COUNT: Final = integer(1)
