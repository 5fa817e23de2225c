"""Finds, for each thing that happens in the cluster, the subscriptions that want to know."""

from collections import defaultdict
from collections.abc import Iterable
from functools import partial
from itertools import count
from typing import Any, TypeVar

from solders.pubkey import Pubkey

from localnet.cluster import Cluster
from localnet.events import Observer
from localnet.pubsub.subscriptions import (
    AccountSubscription,
    ClientSubscription,
    LogsSubscription,
    ProgramSubscription,
    RootSubscription,
    SignatureSubscription,
    SlotSubscription,
)
from localnet.records import TransactionRecord

S = TypeVar("S", bound=ClientSubscription)
Topic = tuple[type[ClientSubscription], Any]


class Hub(Observer):
    """An Observer of the cluster that holds every subscription of every connection."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self._identifiers = count()
        self._topics: dict[Topic, set[Any]] = defaultdict(set)
        self._root = cluster.finalized_slot
        cluster.observe(self)

    def next_identifier(self) -> int:
        """A subscription id never given out before."""
        return next(self._identifiers)

    def add(self, subscription: ClientSubscription) -> None:
        """Adds a subscription by its kind and what it is to."""
        self._topics[type(subscription), subscription.key].add(subscription)

    def remove(self, subscription: ClientSubscription) -> None:
        """Ends a subscription, if it has not ended yet."""
        topic = type(subscription), subscription.key
        self._topics[topic].discard(subscription)
        if not self._topics[topic]:
            del self._topics[topic]

    def _to(self, kind: type[S], key: Any = None) -> list[S]:
        """The subscriptions of a kind to something."""
        return list(self._topics.get((kind, key), ()))

    def settle(self, subscription: SignatureSubscription) -> bool:
        """Notifies a subscription of a transaction that has already ended; True if there was one."""
        entry = self.cluster.store.entry(subscription.key)
        if entry is None or (subscription.finalized and entry.slot > self.cluster.finalized_slot):
            return False
        subscription.ended(entry.slot, entry.err)
        self.remove(subscription)
        return True

    def slot_opened(self, slot: int, finalized: int) -> None:
        """Publishes slots and roots."""
        for subscription in self._to(SlotSubscription):
            subscription.opened(slot, finalized)
        for root in range(self._root + 1, finalized + 1):
            for rooted in self._to(RootSubscription):
                rooted.rooted(root)
        self._root = max(self._root, finalized)

    def transaction_executed(self, record: TransactionRecord) -> None:
        """Publishes signatures and logs at the confirmed commitment."""
        for subscription in self._to(SignatureSubscription, record.signature):
            subscription.arrived(record.slot)
        self._tell([record], finalized=False)

    def accounts_written(self, slot: int, addresses: list[Pubkey]) -> None:
        """Publishes accounts and programs at the confirmed commitment."""
        self._tell_accounts(slot, addresses, finalized=False)

    def slot_finalized(self, slot: int, records: list[TransactionRecord], addresses: list[Pubkey]) -> None:
        """Publishes everything at the finalized commitment."""
        self._tell(records, finalized=True)
        self._tell_accounts(slot, addresses, finalized=True)

    def _tell(self, records: Iterable[TransactionRecord], *, finalized: bool) -> None:
        for record in records:
            for subscription in self._to(SignatureSubscription, record.signature):
                if subscription.finalized is finalized:
                    subscription.ended(record.slot, record.err)
                    self.remove(subscription)
            for logs in self._to(LogsSubscription):
                if logs.finalized is finalized:
                    logs.executed(record)

    def _tell_accounts(self, slot: int, addresses: list[Pubkey], *, finalized: bool) -> None:
        if not any(kind in (AccountSubscription, ProgramSubscription) for kind, _ in self._topics):
            return
        read = partial(self.cluster.account, finalized=finalized)
        for address in addresses:
            account = read(address)
            for subscription in self._to(AccountSubscription, address):
                if subscription.finalized is finalized:
                    subscription.changed(slot, account, read)
            if account is None:
                continue
            for program in self._to(ProgramSubscription, account.owner):
                if program.finalized is finalized:
                    program.changed(slot, address, account, read)
