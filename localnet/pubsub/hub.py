"""Finds, for each thing that happens in the cluster, the subscriptions that want to know."""

from collections import defaultdict
from collections.abc import Iterable
from functools import partial
from itertools import count
from typing import TypeVar

from solders.pubkey import Pubkey
from solders.signature import Signature

from localnet.cluster import Cluster
from localnet.pubsub.subscriptions import (
    AccountSubscription,
    LogsSubscription,
    ProgramSubscription,
    SignatureSubscription,
    Subscription,
)
from localnet.records import TransactionRecord

K = TypeVar("K")
S = TypeVar("S")


class Hub:
    """An Observer of the cluster that holds every subscription of every connection."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster
        self._identifiers = count()
        self._signatures: dict[Signature, set[SignatureSubscription]] = defaultdict(set)
        self._accounts: dict[Pubkey, set[AccountSubscription]] = defaultdict(set)
        self._programs: dict[Pubkey, set[ProgramSubscription]] = defaultdict(set)
        self._logs: set[LogsSubscription] = set()
        self._slots: set[Subscription] = set()
        self._roots: set[Subscription] = set()
        self._root = cluster.finalized_slot
        cluster.observe(self)

    def next_identifier(self) -> int:
        """A subscription id never given out before."""
        return next(self._identifiers)

    def add(self, subscription: Subscription) -> None:
        """Adds a subscription by what it is of."""
        match subscription:
            case SignatureSubscription():
                self._signatures[subscription.signature].add(subscription)
            case AccountSubscription():
                self._accounts[subscription.address].add(subscription)
            case ProgramSubscription():
                self._programs[subscription.program].add(subscription)
            case LogsSubscription():
                self._logs.add(subscription)
            case _:
                raise TypeError(f"no topic for {type(subscription).__name__}")

    def add_slots(self, subscription: Subscription) -> None:
        """Adds a subscription to slots."""
        self._slots.add(subscription)

    def add_roots(self, subscription: Subscription) -> None:
        """Adds a subscription to roots."""
        self._roots.add(subscription)

    def remove(self, subscription: Subscription) -> None:
        """Ends a subscription; one that has ended already is no matter."""
        match subscription:
            case SignatureSubscription():
                _discard(self._signatures, subscription.signature, subscription)
            case AccountSubscription():
                _discard(self._accounts, subscription.address, subscription)
            case ProgramSubscription():
                _discard(self._programs, subscription.program, subscription)
            case LogsSubscription():
                self._logs.discard(subscription)
            case _:
                self._slots.discard(subscription)
                self._roots.discard(subscription)

    def settle(self, subscription: SignatureSubscription) -> bool:
        """Tells a subscription of a transaction that has ended already; whether there was one."""
        entry = self.cluster.store.entry(subscription.signature)
        if entry is None or (subscription.finalized and entry.slot > self.cluster.finalized_slot):
            return False
        subscription.ended(entry.slot, entry.err)
        self.remove(subscription)
        return True

    def slot_opened(self, slot: int, finalized: int) -> None:
        """Tells slots and roots."""
        for subscription in list(self._slots):
            result = {"parent": slot - 1, "root": finalized, "slot": slot}
            subscription.deliver("slotNotification", subscription.identifier, result)
        for root in range(self._root + 1, finalized + 1):
            for subscription in list(self._roots):
                subscription.deliver("rootNotification", subscription.identifier, root)
        self._root = max(self._root, finalized)

    def transaction_executed(self, record: TransactionRecord) -> None:
        """Tells signatures and logs at the confirmed commitment."""
        for subscription in list(self._signatures.get(record.signature, ())):
            subscription.arrived(record.slot)
        self._tell([record], finalized=False)

    def accounts_written(self, slot: int, addresses: list[Pubkey]) -> None:
        """Tells accounts and programs at the confirmed commitment."""
        self._tell_accounts(slot, addresses, finalized=False)

    def slot_finalized(self, slot: int, records: list[TransactionRecord], addresses: list[Pubkey]) -> None:
        """Tells everything at the finalized commitment."""
        self._tell(records, finalized=True)
        self._tell_accounts(slot, addresses, finalized=True)

    def _tell(self, records: Iterable[TransactionRecord], *, finalized: bool) -> None:
        for record in records:
            for subscription in list(self._signatures.get(record.signature, ())):
                if subscription.finalized is finalized:
                    subscription.ended(record.slot, record.err)
                    self.remove(subscription)
            for logs in list(self._logs):
                if logs.finalized is finalized:
                    logs.executed(record)

    def _tell_accounts(self, slot: int, addresses: list[Pubkey], *, finalized: bool) -> None:
        if not self._accounts and not self._programs:
            return
        read = partial(self.cluster.account, finalized=finalized)
        for address in addresses:
            account = read(address)
            for subscription in list(self._accounts.get(address, ())):
                if subscription.finalized is finalized:
                    subscription.changed(slot, account, read)
            if account is None:
                continue
            for program in list(self._programs.get(account.owner, ())):
                if program.finalized is finalized:
                    program.changed(slot, address, account, read)


def _discard(topics: dict[K, set[S]], topic: K, subscription: S) -> None:
    subscriptions = topics.get(topic)
    if subscriptions is None:
        return
    subscriptions.discard(subscription)
    if not subscriptions:
        del topics[topic]
