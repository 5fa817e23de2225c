"""The newest blocks of the cluster, which streams are fed and replayed from."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from dataclasses import dataclass
from typing import Final

from localnet.cluster import Cluster
from localnet.events import Observer
from localnet.records import TransactionRecord

SLOTS: Final = 150


@dataclass(frozen=True, slots=True)
class CompleteSlot:
    """A complete slot and what landed in it."""

    slot: int
    unix_time: int
    records: tuple[TransactionRecord, ...]


class SlotWindow(Observer):
    """Keeps the last `slots` complete slots. It begins with the slot that is open when it is made."""

    def __init__(self, cluster: Cluster, *, slots: int = SLOTS) -> None:
        self.slots = slots
        self.confirmed = cluster.slot - 1
        self.finalized = min(cluster.finalized_slot, self.confirmed)
        self._begun = cluster.slot
        self._cluster = cluster
        self._records: defaultdict[int, list[TransactionRecord]] = defaultdict(list)
        self._grown: set[asyncio.Event] = set()
        # A block that is open now would be told without what has run in it already.
        if cluster.store.block(cluster.slot):
            self._records[cluster.slot] = cluster.store.block(cluster.slot)
        cluster.observe(self)

    @property
    def first(self) -> int:
        """The oldest slot that can be replayed."""
        return max(self._begun, self.confirmed + 1 - self.slots)

    def block(self, slot: int) -> CompleteSlot:
        """A slot of the window."""
        return CompleteSlot(slot, self._cluster.timeline.unix_ms_of(slot) // 1000, tuple(self._records.get(slot, ())))

    def watch(self, grown: asyncio.Event) -> None:
        """Sets an event whenever there is another block."""
        self._grown.add(grown)

    def ignore(self, grown: asyncio.Event) -> None:
        """Ends that."""
        self._grown.discard(grown)

    def slot_opened(self, slot: int, finalized: int) -> None:
        """Its parent is complete."""
        self.confirmed = slot - 1
        self.finalized = max(self.finalized, finalized)
        for old in [old for old in self._records if old < self.first]:
            del self._records[old]
        for grown in self._grown:
            grown.set()

    def transaction_executed(self, record: TransactionRecord) -> None:
        """Into the open slot."""
        self._records[record.slot].append(record)
