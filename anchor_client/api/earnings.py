"""Payments to a host, as the market's API reports them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client.api.market import MarketApi

PICO_PER_MICRO: Final = 10**6


class Payout(msgspec.Struct, frozen=True):
    """A payment to a host: base units of `mint`, for `seconds` of a job."""

    ts: int
    job: str
    mint: str
    decimals: int
    amount: int
    seconds: int
    tx: str

    def __post_init__(self) -> None:
        Pubkey.from_string(self.job)
        Pubkey.from_string(self.mint)
        Signature.from_string(self.tx)


class _Price(msgspec.Struct, frozen=True):
    ts: int
    price: int


@dataclass(frozen=True, slots=True)
class Earning:
    """A payout and what it was worth, micro-USD rounded down; None where no price is known."""

    payout: Payout
    usd: int | None


class EarningsApi(MarketApi):
    """Payouts at an API's URL; an async context manager. UnreachableApi, WrongApi, ApiRefused."""

    async def earnings(self, host: Pubkey, *, since: int = 0, until: int | None = None) -> AsyncIterator[Earning]:
        """Payouts to a host's account from `since` until before `until` (unix seconds), newest first.

        Each is valued at the last price that the market had of its mint.
        """
        prices: dict[str, _Prices] = {}
        async for row in self.pages("/api/payouts", "payouts", {"host": str(host)}):
            payout = self.read(Payout, row)
            if payout.ts < since:
                return
            if until is not None and payout.ts >= until:
                continue
            known = prices.setdefault(
                payout.mint, _Prices(self.pages("/api/prices", "prices", {"mint": payout.mint}), self.read)
            )
            price = await known.at(payout.ts)
            worth = None
            if price is not None:
                worth = payout.amount * price // (10**payout.decimals * PICO_PER_MICRO)
            yield Earning(payout, worth)


class _Prices:
    """A mint's prices, newest first, read as far back as they are asked for."""

    def __init__(self, rows: AsyncIterator[dict[str, Any]], read: Callable[[type[_Price], object], _Price]) -> None:
        self._rows = rows
        self._read = read
        self._current: _Price | None = None
        self._is_over = False

    async def at(self, ts: int) -> int | None:
        """The price at a time, which is not after the last one asked for; None before the first price."""
        while not self._is_over and (self._current is None or self._current.ts > ts):
            row = await anext(self._rows, None)
            self._is_over = row is None
            self._current = None if row is None else self._read(_Price, row)
        return None if self._current is None else self._current.price
