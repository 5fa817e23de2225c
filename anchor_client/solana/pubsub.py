"""Subscriptions to a cluster: they only say "look again", and what happened is read from the chain.

A lost notification therefore costs time and nothing else. Of several nodes the next one is subscribed to when one
refuses, hangs up, or says nothing any more, not even that slots pass.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from solana.rpc.commitment import Commitment
from solana.rpc.models import MemcmpOpts
from solana.rpc.websocket_api import OverflowPolicy, SolanaWsClient
from solders.pubkey import Pubkey
from solders.rpc.responses import SlotInfo, SlotNotification

from anchor_client.service.pacing import Attempts, wait_or_timeout
from anchor_client.service.redaction import Endpoint, urls_of
from anchor_client.solana.node import ByteFilter

SILENCE_SECONDS: Final = 30.0
"""Without a slot after which services take a node for lost."""
CLOSE_SECONDS: Final = 1.0
"""A subscriber that leaves while notifications come in stops reading, and so never reads the answer to its farewell."""
_log = logging.getLogger(__name__)

Subscribe = Callable[[SolanaWsClient], Awaitable[object]]
"""Makes the subscriptions on a new connection."""


def subscriber(ws_url: str) -> SolanaWsClient:
    """An async context manager over a connection, which takes up to CLOSE_SECONDS to close.

    Notifications that are not read in time give way to later ones.
    """
    return SolanaWsClient(ws_url, close_timeout=CLOSE_SECONDS, overflow=OverflowPolicy.DROP_OLDEST)


async def subscribe_to_accounts(
    socket: SolanaWsClient, program_id: Pubkey, filters: Sequence[ByteFilter], commitment: Commitment
) -> None:
    """Subscribes to the accounts of a program that pass every filter."""
    await socket.program_subscribe(
        program_id=program_id,
        commitment=commitment,
        encoding="base64",
        filters=[MemcmpOpts(**one) for one in filters],
    )


class Subscription:
    """Sets `changed` once subscribed and at every notification; subscribes again whenever the connection is lost.

    `ws_url` may name several nodes, separated by commas; after a loss it is the next one's turn. Whatever a node sends
    wrongly or refuses is a loss, and with `silence_seconds` so is hearing of no slot for so long; `on_slot` then
    hears of each. Without a URL it does nothing. `on_lost` is called at every loss and at every failed attempt.
    """

    def __init__(
        self,
        ws_url: str | None,
        subscribe: Subscribe,
        *,
        changed: asyncio.Event | None = None,
        on_lost: Callable[[], object] = lambda: None,
        log_level: int = logging.WARNING,
        silence_seconds: float | None = None,
        on_slot: Callable[[SlotInfo], object] = lambda slot: None,
    ) -> None:
        self.changed = changed or asyncio.Event()
        self.waiting = 0
        """Notifications since `wait` last returned."""
        self.is_live = False
        if ws_url is None:
            self._endpoints = []
        else:
            self._endpoints = [Endpoint(url) for url in urls_of(ws_url)]
        self._turn = 0
        self._subscribe = subscribe
        self._on_lost = on_lost
        self._log_level = log_level
        self._silence_seconds = silence_seconds
        self._on_slot = on_slot
        self._attempts = Attempts(self._lost)

    async def run(self) -> None:
        """Runs until cancelled."""
        if not self._endpoints:
            return
        await self._attempts.until_done(self._follow)

    async def wait(self, seconds: float) -> bool:
        """Waits up to `seconds` for a change; True if there was one."""
        has_changed = await wait_or_timeout(self.changed, seconds)
        self.waiting = 0
        return has_changed

    async def _follow(self) -> None:
        async with subscriber(self._endpoint.url) as socket:
            await self._subscribe(socket)
            if self._silence_seconds is not None:
                # A sign of life: else a quiet program and a dead connection look the same.
                await socket.slot_subscribe()
            # Now, too, is a reason to look: what happened before the subscription was told to nobody.
            self._attempts.succeeded()
            self.is_live = True
            self.changed.set()
            while True:
                async with asyncio.timeout(self._silence_seconds):
                    notification = await socket.recv()
                if self._silence_seconds is not None and isinstance(notification, SlotNotification):
                    self._on_slot(notification.result)
                else:
                    self.waiting += 1
                    self.changed.set()

    @property
    def _endpoint(self) -> Endpoint:
        return self._endpoints[self._turn % len(self._endpoints)]

    def _lost(self, error: Exception, seconds: float) -> None:
        self.is_live = False
        self._on_lost()
        why = getattr(error, "strerror", None) or str(error) or type(error).__name__
        _log.log(self._log_level, "subscription to %s lost, retry in %s s: %s", self._endpoint, seconds, why)
        self._turn += 1
