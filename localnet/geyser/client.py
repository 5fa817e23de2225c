"""A subscriber's requests, and the updates they get next."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Final

from solders.pubkey import Pubkey

from anchor_client.solana.yellowstone.generated.geyser_pb2 import (
    CommitmentLevel,
    SubscribeRequest,
    SubscribeRequestFilterBlocks,
    SubscribeUpdate,
    SubscribeUpdatePong,
)
from localnet.geyser.messages import block_message
from localnet.geyser.window import SlotWindow

UNSERVED: Final = ("accounts", "slots", "transactions", "transactions_status", "blocks_meta", "entry", "block_footer")


class Refused(Exception):
    """The subscription is rejected."""


class Lagged(Exception):
    """The subscriber's next update has left the window."""


class Client:
    """Reads a subscriber's requests; the last one that is not a ping counts."""

    def __init__(self, window: SlotWindow) -> None:
        self.changed = asyncio.Event()
        self.pings = 0
        """Number of the server's pings that were answered."""
        self._window = window
        self._filters: dict[str, SubscribeRequestFilterBlocks] = {}
        self._is_final = False
        self._next: int | None = None
        self._pongs: list[int] = []

    async def read(self, requests: AsyncIterator[SubscribeRequest]) -> None:
        """Takes requests until there are no more. Raises Refused."""
        async for request in requests:
            if request.HasField("ping"):
                self.pings += 1
                self._pongs.append(request.ping.id)
            else:
                self._ask(request)
            self.changed.set()

    def take(self) -> list[SubscribeUpdate]:
        """Updates for the subscriber now, of one block at most. Raises Lagged."""
        pongs = [SubscribeUpdate(pong=SubscribeUpdatePong(id=each)) for each in self._pongs]
        self._pongs.clear()
        last = self._window.finalized if self._is_final else self._window.confirmed
        if self._next is None or self._next > last:
            return pongs
        if self._next < self._window.first:
            raise Lagged(f"slot {self._next} is no longer available")
        self._next += 1
        return [*pongs, *self._updates(self._next - 1)]

    def _ask(self, request: SubscribeRequest) -> None:
        unserved = [name for name in UNSERVED if getattr(request, name)]
        if unserved or not request.blocks:
            raise Refused(f"this server streams blocks, not {', '.join(unserved) or 'nothing'}")
        self._filters = dict(request.blocks)
        self._is_final = request.commitment == CommitmentLevel.FINALIZED
        if not request.HasField("from_slot"):
            self._next = (self._window.finalized if self._is_final else self._window.confirmed) + 1
        elif request.from_slot < self._window.first:
            raise Refused(f"from_slot {request.from_slot} is not available, the first is {self._window.first}")
        else:
            self._next = request.from_slot

    def _updates(self, slot: int) -> list[SubscribeUpdate]:
        block = self._window.block(slot)
        updates = []
        for name, wanted in self._filters.items():
            named = {Pubkey.from_string(text) for text in wanted.account_include}
            records = [record for record in block.records if not named or named & set(record.account_keys())]
            whole = not wanted.HasField("include_transactions") or wanted.include_transactions
            message = block_message(slot, block.unix_time, records, len(block.records), transactions=whole)
            updates.append(SubscribeUpdate(filters=[name], block=message))
        return updates
