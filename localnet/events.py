"""Notifications from the cluster."""

from solders.pubkey import Pubkey

from localnet.records import TransactionRecord


class Observer:
    """Called synchronously as things happen; must neither block nor call back into the cluster's writes."""

    def slot_opened(self, slot: int, finalized: int) -> None:
        """A slot opened; its parent is complete and `finalized` is the newest finalized one."""

    def transaction_executed(self, record: TransactionRecord) -> None:
        """A transaction landed in the open slot."""

    def accounts_written(self, slot: int, addresses: list[Pubkey]) -> None:
        """Accounts of the open slot changed; their state may be read now."""

    def slot_finalized(self, slot: int, records: list[TransactionRecord], addresses: list[Pubkey]) -> None:
        """A slot that wrote something was finalized; finalized reads show exactly its end."""
