"""RPC nodes as a source: PubSub says that the program was used, and what happened is read."""

from __future__ import annotations

from collections.abc import AsyncIterator

from solana.rpc.commitment import Commitment, Finalized
from solana.rpc.websocket_api import SolanaWsClient
from solders.pubkey import Pubkey
from solders.rpc.config import RpcTransactionLogsFilterMentions
from solders.rpc.responses import SlotInfo

from anchor_client.solana.pubsub import SILENCE_SECONDS, Subscription
from indexer.index.sources.history import History
from indexer.index.sources.source import Frontier, Heard
from indexer.index.transaction import Transaction
from indexer.metrics import SOURCE_FAILURES
from indexer.settings import IndexerSettings


class RpcSource:
    """Reads `history` whenever a node says that the program was used; `heard` gets each slot at the commitment."""

    def __init__(self, settings: IndexerSettings, history: History, *, heard: Heard = lambda slot: None) -> None:
        self._history = history
        self._heard = heard
        self._program = Pubkey.from_string(settings.program_id)
        self._commitment = Commitment(settings.commitment)
        self._used = Subscription(
            settings.pubsub_url,
            self._subscribe,
            on_lost=self._lost,
            silence_seconds=SILENCE_SECONDS,
            on_slot=self._on_slot,
        )

    @property
    def is_live(self) -> bool:
        """True while a subscription lives."""
        return self._used.is_live

    @property
    def may_repair(self) -> bool:
        """A node is all that is believed anyway."""
        return True

    @property
    def waiting(self) -> int:
        """Notified uses of the program since the last wait."""
        return self._used.waiting

    async def run(self) -> None:
        """Keeps subscribed until cancelled."""
        await self._used.run()

    async def wait(self, seconds: float) -> bool:
        """Waits up to `seconds` for a use of the program; True if there was one."""
        return await self._used.wait(seconds)

    def wake(self) -> None:
        """Ends the wait."""
        self._used.changed.set()

    def reach(self, head_slot: int) -> int:
        """Nodes have what is at their head."""
        return head_slot

    async def reaches(self, slot: int) -> bool:
        """Nodes have it."""
        return True

    def read(self, frontier: Frontier | None, until_slot: int) -> AsyncIterator[list[Transaction]]:
        """Transactions that the nodes list."""
        return self._history.read(frontier, until_slot)

    def completed(self, slot: int) -> None:
        """Nothing was kept for it."""

    def _lost(self) -> None:
        """Has the chain looked at: a node that hangs up may be gone, and a quiet program would not show it."""
        SOURCE_FAILURES.labels("subscription").inc()
        self.wake()

    def _on_slot(self, told: SlotInfo) -> None:
        self._heard(told.root if self._commitment == Finalized else told.parent)

    async def _subscribe(self, socket: SolanaWsClient) -> None:
        program = RpcTransactionLogsFilterMentions(self._program)
        await socket.logs_subscribe(filter_=program, commitment=self._commitment)
