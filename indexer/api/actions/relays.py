"""Transactions on their way to the chain: each is sent until it lands or never will, by one task."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from dataclasses import dataclass, replace
from enum import StrEnum
from types import TracebackType
from typing import Final, Self

from solders.signature import Signature

from anchor_client.errors import GpuMarketError, OutcomeUnknown, TransactionExpired
from anchor_client.market.client import Market
from anchor_client.service.shares import Shares
from anchor_client.solana.transactions import Prepared
from anchor_client.solana.transactions.details import TransactionDetails, find_details
from anchor_client.solana.transactions.failures import decode_failure
from anchor_client.solana.transactions.message import instructions_of
from indexer.api.errors import ApiError

MOST_PENDING: Final = 64
"""Of all clients; an address, and each network around it, has no more than its part."""
RETRY_SECONDS: Final = 5
MOST_KEPT: Final = 4_096
WAIT_SECONDS: Final = 20.0
"""Seconds that a request waits for the outcome; after that clients must poll for it."""


class RelayStage(StrEnum):
    """State of a transaction; only `pending` and `unknown` may change."""

    PENDING = "pending"
    LANDED = "landed"
    FAILED = "failed"
    EXPIRED = "expired"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class RelayOutcome:
    """A transaction, where it landed, and why it failed or never will."""

    signature: Signature
    stage: RelayStage
    slot: int | None = None
    error: GpuMarketError | None = None


class Relays:
    """Sends signed transactions, each once however often it is handed over; a context manager."""

    def __init__(self, market: Market, *, wait: float = WAIT_SECONDS) -> None:
        self._market = market
        self._wait = wait
        self._pending: dict[Signature, asyncio.Task[RelayOutcome]] = {}
        self._kept: OrderedDict[Signature, RelayOutcome] = OrderedDict()
        self._shares = Shares(MOST_PENDING)

    async def submit(self, prepared: Prepared, address: str = "") -> RelayOutcome:
        """Sends a client's transaction and waits a while for its outcome. Raises the named error if the node's
        simulation refuses it, and ApiError 429 or 503 while too many of its address, or of all, are on their way."""
        signature = prepared.signature
        task = self._pending.get(signature)
        if task is None:
            known = await self.find(signature)
            if known is not None and known.stage is not RelayStage.UNKNOWN:
                return known
            task = self._pending.get(signature) or self._started(prepared, address)
        done, _ = await asyncio.wait([task], timeout=self._wait)
        return task.result() if done else RelayOutcome(signature, RelayStage.PENDING)

    async def find(self, signature: Signature) -> RelayOutcome | None:
        """Known outcome of a transaction, from here or the chain; None if nothing is known."""
        if signature in self._pending:
            return RelayOutcome(signature, RelayStage.PENDING)
        sender = self._market.session.sender
        details = await find_details(sender.client, signature, sender.program, commitment=sender.commitment)
        if details is not None:
            return self._outcome(details)
        return self._kept.get(signature)

    def _started(self, prepared: Prepared, address: str) -> asyncio.Task[RelayOutcome]:
        if not self._shares.has_room(address):
            status, whose = (503, "") if self._shares.is_full else (429, " of your network")
            detail = f"Too many transactions{whose} are in flight."
            remedy = "Send it again in a moment."
            raise ApiError(status, "too_many_transactions", detail, remedy, retry_after=RETRY_SECONDS)
        self._shares.take(address)
        task = asyncio.create_task(self._sent(prepared))
        self._pending[prepared.signature] = task
        task.add_done_callback(lambda done: self._ended(prepared.signature, address, done))
        return task

    async def _sent(self, prepared: Prepared) -> RelayOutcome:
        sender = self._market.session.sender
        try:
            landing = await sender.land(prepared)
            return self._outcome(await sender.details(landing.signature), prepared)
        except TransactionExpired as error:
            return RelayOutcome(prepared.signature, RelayStage.EXPIRED, error=error)
        except OutcomeUnknown as error:
            return RelayOutcome(prepared.signature, RelayStage.UNKNOWN, error=error)

    def _outcome(self, details: TransactionDetails, prepared: Prepared | None = None) -> RelayOutcome:
        landed = RelayOutcome(details.signature, RelayStage.LANDED, details.slot)
        if details.error is None:
            return landed
        known = () if prepared is None else instructions_of(prepared.transaction.message)
        program = self._market.session.sender.program
        error = decode_failure(details.error, program, instructions=known, logs=details.logs)
        return replace(landed, stage=RelayStage.FAILED, error=error)

    def _ended(self, signature: Signature, address: str, task: asyncio.Task[RelayOutcome]) -> None:
        del self._pending[signature]
        self._shares.give_back(address)
        if not task.cancelled() and task.exception() is None:
            self._kept[signature] = task.result()
            if len(self._kept) > MOST_KEPT:
                self._kept.popitem(last=False)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for task in tuple(self._pending.values()):
            task.cancel()
        await asyncio.gather(*self._pending.values(), return_exceptions=True)
