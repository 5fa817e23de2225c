"""Every transaction of the program, as a node tells it."""

from __future__ import annotations

from itertools import groupby
from typing import Any

from anchor_client.generated.program import PROGRAM_ID
from anchor_client.solana.yellowstone.generated.geyser_pb2 import SubscribeUpdate
from localnet.cluster import Cluster
from localnet.events import Observer
from localnet.geyser.messages import block_message
from localnet.records import TransactionRecord
from localnet.rpc.transactions import landed

NEWEST_VERSION = 1


class Recording(Observer):
    """Observes a cluster from its first transaction."""

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._records: list[TransactionRecord] = []
        cluster.observe(self)

    def take(self) -> list[dict[str, Any]]:
        """Answers of getTransaction for every transaction since the last call, in the chain's order."""
        return [landed(self._cluster, record, "json", NEWEST_VERSION) for record in self._taken()]

    def take_both(self) -> tuple[list[dict[str, Any]], list[SubscribeUpdate]]:
        """The same, and the blocks in which a stream would give them, none left out."""
        taken = self._taken()
        by_slot = {slot: list(group) for slot, group in groupby(taken, key=lambda record: record.slot)}
        blocks = [self._block(slot, by_slot.get(slot, [])) for slot in range(min(by_slot), max(by_slot) + 1)]
        return [landed(self._cluster, record, "json", NEWEST_VERSION) for record in taken], blocks

    def _block(self, slot: int, records: list[TransactionRecord]) -> SubscribeUpdate:
        unix_time = self._cluster.timeline.unix_ms_of(slot) // 1000
        return SubscribeUpdate(block=block_message(slot, unix_time, records, len(records), transactions=True))

    def _taken(self) -> list[TransactionRecord]:
        taken = self._records
        self._records = []
        return taken

    def transaction_executed(self, record: TransactionRecord) -> None:
        """Keeps what calls the program."""
        if PROGRAM_ID in record.account_keys():
            self._records.append(record)
