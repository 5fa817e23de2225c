"""Progress of the index, and the chain's time."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from typing import Any

from solders.pubkey import Pubkey
from sqlalchemy.exc import DBAPIError

from anchor_client.generated.accounts import Market
from anchor_client.payment_tokens import PaymentTokens
from anchor_client.service.optional import optional
from anchor_client.solana.slots import SlotPace
from anchor_client.symbols import MARKET_TOKEN
from indexer.models import Progress


@dataclass(slots=True)
class Status:
    """Shared by the loop that follows the chain and the API; between reads of the chain its time advances."""

    started_at: float = field(default_factory=time.monotonic)
    head_slot: int = 0
    """Newest slot seen at the commitment."""
    complete_slot: int = 0
    """The index holds everything up to here."""
    completed_at: float | None = None
    """When that became so, on the monotonic clock."""
    final_slot: int | None = None
    """Slot up to which the index's content is known to be final; None: all of it is."""
    market: Market | None = None
    genesis: str | None = None
    """Genesis hash of the cluster, once a node has told it."""
    last_error: str | None = None
    unwritable: str | None = None
    """Reason of the last change that the database refused, until one succeeds."""
    mints: Mapping[str, Pubkey] = field(default_factory=dict)
    """Configured mints by symbol."""
    stopping: bool = False
    """True once this process has been told to stop."""
    _unix_timestamp: int = 0
    _seen_at: float = 0.0
    _heard: tuple[int, float] = (0, 0.0)
    """The newest slot reported from anywhere, and its time on the monotonic clock."""
    _pace: SlotPace = field(default_factory=SlotPace)

    def symbol(self, mint: str) -> str | None:
        """The symbol of a mint; None where neither the settings nor the market name it."""
        market_mint = None if self.market is None else self.market.market_mint
        return _symbols(market_mint, tuple(self.mints.items())).get(mint)

    def saw_head(self, slot: int, unix_timestamp: int, market: Market | None) -> None:
        """The chain has got to `slot`."""
        self.head_slot = slot
        self._unix_timestamp = unix_timestamp
        self._seen_at = time.monotonic()
        if market != self.market:
            self.market = market
        self._pace.saw(slot, unix_timestamp)
        self.heard_slot(slot)

    def heard_slot(self, slot: int) -> None:
        """Sources other than a read may report the chain's slot; an older one changes nothing."""
        if slot > self._heard[0]:
            self._heard = slot, time.monotonic()

    def completed(self, slot: int) -> None:
        """The index has got to `slot`."""
        self.complete_slot = slot
        self.completed_at = time.monotonic()
        self.head_slot = max(self.head_slot, slot)
        self.last_error = self.unwritable = None

    def failed(self, error: Exception) -> None:
        """A look at the chain failed."""
        self.last_error = str(error) or repr(error)
        if isinstance(error, DBAPIError):
            self.last_error = self.unwritable = str(error.orig)

    def as_told(self, now_ms: int) -> dict[str, Any]:
        """The columns of a Progress, with moments in the unix milliseconds of the clock that says `now_ms`."""
        to_ms = partial(_unix_ms, now_ms)
        return {
            "head_slot": self.head_slot,
            "complete_slot": self.complete_slot,
            "completed_at": optional(to_ms, self.completed_at),
            "final_slot": self.final_slot,
            "chain_time": self._unix_timestamp,
            "seen_at": to_ms(self._seen_at),
            "market": None if self.market is None else self.market.encode(),
            "genesis": self.genesis,
            "last_error": self.last_error,
            "unwritable": self.unwritable,
        }

    def hear(self, told: Progress, now_ms: int) -> None:
        """Takes the report of the process that follows the chain; `now_ms` is the time of its clock."""
        to_monotonic = partial(_monotonic, now_ms)
        self.head_slot = told.head_slot
        self.complete_slot = told.complete_slot
        self.final_slot = told.final_slot
        self.completed_at = optional(to_monotonic, told.completed_at)
        self._unix_timestamp = told.chain_time
        self._seen_at = to_monotonic(told.seen_at) if told.chain_time else 0.0
        if told.chain_time:
            self._pace.saw(told.head_slot, told.chain_time)
        if told.head_slot > self._heard[0]:
            self._heard = told.head_slot, self._seen_at
        self.genesis = told.genesis
        self.last_error = told.last_error
        self.unwritable = told.unwritable
        market = optional(Market.decode, told.market)
        if market != self.market:
            self.market = market

    @property
    def ready(self) -> bool:
        """True once the index has been complete."""
        return self.completed_at is not None

    @property
    def lag_seconds(self) -> float:
        """Seconds since the index was known to be complete; since the start until it first is."""
        since = self.started_at if self.completed_at is None else self.completed_at
        return time.monotonic() - since

    @property
    def head_now(self) -> int:
        """The chain's newest slot: the last reported one, plus the slots that pass in the time since."""
        slot, at = self._heard
        return slot + self.slots_since(at) if slot else 0

    def slots_since(self, at: float) -> int:
        """Slots that pass, at the chain's pace, from a moment of the monotonic clock until now."""
        return int((time.monotonic() - at) / self._pace.seconds)

    @property
    def lag_slots(self) -> int:
        """Slots since the one that the index holds everything up to; it grows while a look hangs."""
        return max(self.head_now - self.complete_slot, 0)

    def now(self) -> int:
        """The chain's time in unix seconds; the computer's until the chain has been seen."""
        if self._seen_at == 0.0:
            return int(time.time())
        return self._unix_timestamp + int(time.monotonic() - self._seen_at)


def _unix_ms(now_ms: int, monotonic: float) -> int:
    return now_ms - int((time.monotonic() - monotonic) * 1_000)


def _monotonic(now_ms: int, unix_ms: int) -> float:
    return time.monotonic() - (now_ms - unix_ms) / 1_000


@cache
def _symbols(market_mint: Pubkey | None, mints: tuple[tuple[str, Pubkey], ...]) -> Mapping[str, str]:
    """Symbols by mint."""
    known = PaymentTokens(dict(mints))
    if market_mint is not None:
        known = known.with_token(MARKET_TOKEN, market_mint)
    return {str(mint): symbol for symbol, mint in known}
