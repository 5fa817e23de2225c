"""Sources of a price, each named KIND:WHAT or KIND:WHAT@URL. However it is spelled, one has one name.

`pyth:FEED`           a feed's id in hex, of Hermes
`coinbase:SOL-USD`    the last trade on Coinbase Exchange
`bitstamp:solusd`     the last trade on Bitstamp
`file:PATH`           a file with a number, as old as its last change
`fixed:0.05`          always the same
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Final, NamedTuple

from anchor_client.generated.constants import BPS, PICO_PER_MICRO, USD
from anchor_client.oracle.errors import SourceFailed
from anchor_client.oracle.judgement import Quote
from anchor_client.solana.http.address import Address
from anchor_client.solana.http.answer import HttpFailure
from anchor_client.solana.http.dialing import dial
from anchor_client.solana.http.request import request_of

PICO_USD: Final = PICO_PER_MICRO * USD
MOST_BYTES: Final = 65_536
"""The longest answer that is read; the sources' have less than 2,000."""
MOST_CONFIDENCE_BPS: Final = 200
"""The widest interval of Pyth's that is taken for a price."""


class Kind(NamedTuple):
    """A kind of source: where it is, the path of its answer, and how that is read."""

    url: str
    path: str
    read: Callable[[Any, str], tuple[Decimal, int]]


@dataclass(frozen=True, slots=True)
class Source:
    """One source."""

    name: str
    kind: str
    what: str
    url: str

    @classmethod
    def parse(cls, text: str) -> Source:
        """A source as it is named in settings. Its name has no URL: what a mirror says is the same. ValueError."""
        kind, _, rest = text.strip().partition(":")
        what, at, url = rest.partition("@")
        if kind not in (*KINDS, *LOCAL) or not what or bool(at) != bool(url) or (kind in LOCAL and at):
            raise ValueError(f"{text!r} is not KIND:WHAT, where KIND is {', '.join((*KINDS, *LOCAL))}")
        if kind not in LOCAL and not re.fullmatch(r"[\w-]+", what):
            raise ValueError(f"{what!r} is nothing that {kind} has a price of")
        what = SPELLED[kind](what)
        return cls(f"{kind}:{what}", kind, what, url or ("" if kind in LOCAL else KINDS[kind].url))

    async def quote(self, seconds: float) -> Quote:
        """Its price, within `seconds`. SourceFailed."""
        try:
            async with asyncio.timeout(seconds):
                local = LOCAL.get(self.kind)
                price, at = await self._ask(seconds) if local is None else local(self.what)
            return Quote(self.name, pico_usd_floor(price), at)
        except TimeoutError:
            raise SourceFailed(f"{self.name} does not answer in {seconds:g} s") from None
        except HttpFailure as error:
            raise SourceFailed(f"{self.name}: {error}") from error
        except (OSError, ValueError, TypeError, LookupError, ArithmeticError, RecursionError) as error:
            raise SourceFailed(f"{self.name} gives an invalid price: {type(error).__name__}") from error

    async def _ask(self, seconds: float) -> tuple[Decimal, int]:
        kind = KINDS[self.kind]
        address = Address.of(self.url.rstrip("/") + kind.path.format(self.what))
        connection = await dial(address, seconds, MOST_BYTES)
        try:
            answer = await connection.ask(request_of(address, "GET", headers={}), seconds)
        finally:
            connection.close()
        if not answer.is_success:
            raise SourceFailed(f"{self.name} answers with HTTP status {answer.status}")
        return kind.read(json.loads(answer.text, parse_float=Decimal), self.what)


def pico_usd_floor(price: Decimal) -> int:
    """Pico-USD of dollars, rounded down. ValueError for an invalid price."""
    exact = price * PICO_USD
    if not exact.is_finite() or not 1 <= exact < 2**64:
        raise ValueError("no price")
    return int(exact)


def _dollars(text: str) -> Decimal:
    """ValueError for an invalid price."""
    try:
        price = Decimal(text)
        pico_usd_floor(price)
    except ArithmeticError:
        raise ValueError(f"{text!r} is not a price") from None
    return price


def _of_file(path: str) -> tuple[Decimal, int]:
    with Path(path).open("rb") as opened:
        return Decimal(opened.read(100).decode().strip()), int(os.fstat(opened.fileno()).st_mtime)


def _feed(text: str) -> str:
    return text.lower().removeprefix("0x")


def _price(text: str) -> str:
    """ValueError for an invalid price."""
    return f"{_dollars(text).normalize():f}"


def _fixed(price: str) -> tuple[Decimal, int]:
    return _dollars(price), int(time.time())


def _coinbase(told: Mapping[str, Any], what: str) -> tuple[Decimal, int]:
    return Decimal(told["price"]), int(datetime.fromisoformat(told["time"].replace("Z", "+00:00")).timestamp())


def _bitstamp(told: Mapping[str, Any], what: str) -> tuple[Decimal, int]:
    return Decimal(told["last"]), int(told["timestamp"])


def _pyth(told: Mapping[str, Any], what: str) -> tuple[Decimal, int]:
    [feed] = told["parsed"]
    price = feed["price"]
    mantissa, confidence = int(price["price"]), int(price["conf"])
    if _feed(feed["id"]) != what:
        raise ValueError("another feed")
    if confidence * BPS > mantissa * MOST_CONFIDENCE_BPS:
        raise ValueError("too wide")
    return Decimal(mantissa).scaleb(int(price["expo"])), int(price["publish_time"])


LOCAL: Final[Mapping[str, Callable[[str], tuple[Decimal, int]]]] = {"file": _of_file, "fixed": _fixed}
KINDS: Final[Mapping[str, Kind]] = {
    "pyth": Kind("https://hermes.pyth.network", "/v2/updates/price/latest?ids[]={}&parsed=true", _pyth),
    "coinbase": Kind("https://api.exchange.coinbase.com", "/products/{}/ticker", _coinbase),
    "bitstamp": Kind("https://www.bitstamp.net", "/api/v2/ticker/{}/", _bitstamp),
}
SPELLED: Final[Mapping[str, Callable[[str], str]]] = {
    "pyth": _feed,
    "coinbase": str.upper,
    "bitstamp": str.lower,
    "file": os.path.realpath,
    "fixed": _price,
}
"""The one spelling of each kind's sources. ValueError where there is none."""
