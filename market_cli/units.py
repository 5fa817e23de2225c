"""Parsing and formatting of durations and amounts. Money is never a float."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from decimal import Decimal, InvalidOperation

from anchor_client.amounts import duration
from anchor_client.generated.constants import BPS
from market_cli.errors import BadAmount, BadDuration, BadOption
from market_cli.lazy import load

UNITS = {"s": 1, "m": 60, "h": 3_600, "d": 86_400}
_PARTS = re.compile(r"(\d+)([smhd])")
_NUMBER = re.compile(r"([0-9]+|[0-9]{1,3}(?:[,_][0-9]{3})+)?(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")
_SEPARATORS = str.maketrans("", "", ",_")
MAX_U32 = 2**32 - 1
MAX_BASE_UNITS = 2**64 - 1


def parse_duration(text: str) -> int:
    """Seconds from 3600, 90m, 1h30m or 7d. BadDuration."""
    compact = text.strip().lower()
    if compact.isascii() and compact.isdigit():
        seconds = int(compact)
    elif compact and not _PARTS.sub("", compact):
        seconds = sum(int(number) * UNITS[unit] for number, unit in _PARTS.findall(compact))
    else:
        raise BadDuration(f"{text!r} is not a duration")
    if not 0 < seconds <= MAX_U32:
        raise BadDuration(f"{text!r} is out of range")
    return seconds


def driver(text: str) -> str:
    """A version of a driver. BadOption."""
    try:
        load("anchor_client.rules.driver:driver_rank")(text)
    except ValueError as error:
        raise BadOption(str(error), "Give the digits that nvidia-smi shows, or the first of them.") from None
    return text


def parse_amount(text: str) -> Decimal:
    """A number of tokens, with any number of decimals; commas only between thousands: 2,50 is not 250. BadAmount."""
    if _NUMBER.fullmatch(text.strip()) is None:
        raise BadAmount(f"{text!r} is not an amount")
    try:
        amount = Decimal(text.strip().translate(_SEPARATORS))
    except InvalidOperation:
        raise BadAmount(f"{text!r} is not an amount") from None
    return amount


def base_units(text: str, decimals: int) -> int:
    """Base units from an exact decimal number of tokens. BadAmount."""
    scaled = parse_amount(text).scaleb(decimals)
    if scaled != scaled.to_integral_value():
        raise BadAmount(f"{text!r} has more than {decimals} decimal places")
    if scaled > MAX_BASE_UNITS:
        raise BadAmount(f"{text!r} is too large")
    return int(scaled)


def base_units_given(text: str | None, decimals: int) -> int | None:
    """Base units from an option; None if it is left out. BadAmount."""
    return None if text is None else base_units(text, decimals)


def micro_usd(text: str) -> int:
    """Micro-USD from dollars. BadAmount."""
    return base_units(text.removeprefix("$"), 6)


def price(text: str) -> int:
    """Micro-USD per hour from dollars, more than 0. BadAmount."""
    found = micro_usd(text)
    if not found:
        raise BadAmount(f"{text!r} is not a price", "Give more than 0 dollars per hour.")
    return found


def parse_score(text: str) -> int:
    """Basis points from a percentage such as 90 or 97.55. BadOption."""
    try:
        bps = base_units(text.removesuffix("%"), 2)
    except BadAmount:
        bps = -1
    if not 0 <= bps <= BPS:
        raise BadOption(f"{text!r} is not a reputation", "Give a percentage from 0 to 100, such as 90 or 97.5.")
    return bps


def parse_cuda(version: str) -> int:
    """A CUDA version like 12.8 as 100 times major plus minor. BadOption."""
    major, _, minor = version.partition(".")
    if not (major.isascii() and major.isdigit() and (minor or "0").isascii() and (minor or "0").isdigit()):
        raise BadOption(f"{version!r} is not a CUDA version", "Write it like 12.8.")
    return int(major) * int(load("anchor_client.rules.listing:CUDA_MAJOR")) + int(minor or "0")


def parse_moment(text: str) -> int:
    """Unix seconds of a time such as 2026-12-01T02:00, UTC unless it says otherwise. BadOption."""
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        raise BadOption(f"{text!r} is not a time", "Write it like 2026-12-01T02:00, in UTC.") from None
    if at.tzinfo is None:
        at = at.replace(tzinfo=UTC)
    return int(at.timestamp())


def moment(at: int) -> str:
    """A displayed time."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def day(at: int) -> str:
    """A displayed time to the minute."""
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%d %H:%M")


def withdrawable(at: int, now: int) -> str:
    """The time until a withdrawal that is possible from `at` on."""
    return f"withdrawable in {duration(at - now)}" if at > now else "withdrawable"
