"""Sources of candidates: the whole program, or an index and the accounts that it names."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Final, Protocol, TypeVar

import structlog
from solders.clock import Clock
from solders.pubkey import Pubkey

from anchor_client.api.market import MarketApi
from anchor_client.errors import ApiRefused, GpuMarketError, UnreachableApi, WrongApi
from anchor_client.generated.accounts import Listing, Rental, Request
from anchor_client.rules.listing import rentals_of
from anchor_client.service.backoff import Backoff
from anchor_client.solana.rpc import Reader
from anchor_client.solana.slots import SlotPace
from keeper.errors import IndexStale, IndexWrong
from keeper.index_api import IndexApi, Named
from keeper.metrics import KeeperMetrics
from keeper.names import SourceName
from keeper.settings import KeeperSettings
from keeper.snapshot import Snapshot, read_snapshot, snapshot_of
from keeper.tasks import find_rentals_due

log = structlog.get_logger(__name__)

Kind = TypeVar("Kind", Rental, Request)

MARGIN_SLOTS: Final = 64
"""An index that is complete up to this many slots after an account was closed must know of the close."""
DISTRUSTED: Final = (UnreachableApi, WrongApi, ApiRefused, IndexStale, IndexWrong)


class CandidateSource(Protocol):
    """Reads candidates. Raises only the node's failures."""

    lags: bool
    """True if the latest changes may be missing."""

    async def read(self, wallet: Pubkey) -> Snapshot: ...


class ChainSource:
    """Reads every rental and request of the program."""

    lags = False

    def __init__(self, reader: Reader) -> None:
        self._reader = reader

    async def read(self, wallet: Pubkey) -> Snapshot:
        """All candidates of the program."""
        return await read_snapshot(self._reader, wallet)


class IndexSource:
    """Gets candidates from an index, and reads them from the chain, which alone decides. At startup and every
    `audit_seconds`, everything is read from the chain and compared with the index. While the index is unreliable
    everything is read, with exponential back-off.
    """

    lags = True

    def __init__(self, reader: Reader, index: IndexApi, settings: KeeperSettings, metrics: KeeperMetrics) -> None:
        self._reader = reader
        self._index = index
        self._settings = settings
        self._metrics = metrics
        self._backoff = Backoff(settings.backoff_seconds, settings.max_backoff_seconds)
        self._failures = 0
        self._pace = SlotPace()
        self._again_at = 0.0
        self._audit_at = 0.0
        self._gone: dict[Pubkey, int] = {}
        """Named accounts that do not exist, and the slot from which an index must know that."""

    async def read(self, wallet: Pubkey) -> Snapshot:
        """Reads the index's candidates from the chain, or everything while the index is unreliable."""
        if time.monotonic() < self._again_at:
            return await read_snapshot(self._reader, wallet)
        clock, lamports = await self._reader.clock_and_balance(wallet)
        self._pace.saw(clock.slot, clock.unix_timestamp)
        try:
            return await self._read_named(clock, lamports, wallet)
        except DISTRUSTED as error:
            self._distrust(error)
        return await read_snapshot(self._reader, wallet)

    async def _read_named(self, clock: Clock, lamports: int, wallet: Pubkey) -> Snapshot:
        # What falls due before the next look is read too, so that the keeper knows when to look.
        named = await self._index.named(clock.unix_timestamp + int(self._settings.idle_interval_seconds) + 1)
        self._require_fresh(named, clock.slot)
        self._require_there(named)
        if time.monotonic() >= self._audit_at:
            snapshot = await read_snapshot(self._reader, wallet)
            self._require_complete(named, snapshot)
            self._audit_at = time.monotonic() + self._settings.audit_seconds
        else:
            snapshot = await self._snapshot(named, clock, lamports)
        if self._failures:
            log.info("index_trusted")
        self._failures = 0
        self._metrics.index_trusted.set(1)
        return snapshot

    async def _snapshot(self, named: Named, clock: Clock, lamports: int) -> Snapshot:
        self._gone = {
            address: slot for address, slot in self._gone.items() if address in {*named.rentals, *named.requests}
        }
        rentals = await self._there(Rental, named.rentals, clock.slot)
        requests = await self._there(Request, named.requests, clock.slot)
        listings = await self._reader.read_known(Listing, (rental.listing for rental in rentals.values()))
        sharing = (each for listing in listings.values() for each in rentals_of(listing) if each not in rentals)
        rentals |= await self._reader.read_known(Rental, sharing)
        return snapshot_of(clock, lamports, rentals, listings, requests)

    async def _there(self, kind: type[Kind], addresses: tuple[Pubkey, ...], slot: int) -> dict[Pubkey, Kind]:
        """Existing accounts; a closed one is not read again."""
        wanted = [address for address in addresses if address not in self._gone]
        found = await self._reader.read_known(kind, wanted)
        self._gone |= {address: slot + MARGIN_SLOTS for address in wanted if address not in found}
        return found

    def _require_fresh(self, named: Named, slot: int) -> None:
        """Measures the index's lag by the chain, regardless of its own report."""
        lag = (slot - named.complete_slot) * self._pace.seconds
        if lag > self._settings.index_max_lag_seconds:
            raise IndexStale(f"it is complete up to slot {named.complete_slot}, and the chain is at {slot}")

    def _require_there(self, named: Named) -> None:
        for address in (*named.rentals, *named.requests):
            if self._gone.get(address, named.complete_slot) < named.complete_slot:
                raise IndexWrong(f"it names {address}, which is not there")

    def _require_complete(self, named: Named, snapshot: Snapshot) -> None:
        """The index must name work that has been due, or open, for longer than the allowed lag."""
        long_since = snapshot.now - self._settings.index_max_lag_seconds
        rentals = set(named.rentals)
        requests = set(named.requests)
        for due in find_rentals_due(snapshot, snapshot.now):
            if max(due.due_at, due.subject.rental.created_at) < long_since and due.address not in rentals:
                raise IndexWrong(f"it does not name {due.address}, which is due")
        for address, request in snapshot.requests.items():
            if request.created_at < long_since and address not in requests:
                raise IndexWrong(f"it does not name {address}, which is open")

    def _distrust(self, error: GpuMarketError) -> None:
        self._failures += 1
        pause = self._backoff.spread(self._failures)
        self._again_at = time.monotonic() + pause
        if isinstance(error, IndexWrong):
            self._audit_at = 0.0
        self._metrics.index_trusted.set(0)
        self._metrics.index_failures.labels(type(error).__name__).inc()
        log.warning("index_distrusted", reason=type(error).__name__, message=error.message, retry_in=round(pause, 1))


@asynccontextmanager
async def open_source(
    settings: KeeperSettings, reader: Reader, metrics: KeeperMetrics
) -> AsyncIterator[CandidateSource]:
    """The source from the settings."""
    if settings.source is SourceName.CHAIN or settings.api_url is None:
        yield ChainSource(reader)
        return
    async with MarketApi(settings.api_url) as api:
        yield IndexSource(reader, IndexApi(api, settings.index_max_lag_seconds), settings, metrics)
