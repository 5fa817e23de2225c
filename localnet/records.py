"""Records of transactions in the ledger."""

from dataclasses import dataclass
from typing import Any

from solders.pubkey import Pubkey
from solders.signature import Signature
from solders.transaction import VersionedTransaction

Json = Any


@dataclass(frozen=True, slots=True)
class SignatureEntry:
    """One line of an address's history: where a transaction is and how it ended."""

    signature: Signature
    slot: int
    index: int
    err: Json
    memo: str | None = None


@dataclass(frozen=True, slots=True)
class TransactionRecord:
    """A transaction that landed. `meta` has the shape of getTransaction's meta in the json encoding."""

    signature: Signature
    slot: int
    index: int
    transaction: VersionedTransaction
    meta: dict[str, Json]

    @property
    def err(self) -> Json:
        """The TransactionError as validators serialise it; None for success."""
        return self.meta["err"]

    def account_keys(self) -> list[Pubkey]:
        """Static keys, then loaded writable, then loaded read-only ones: the order indices refer to."""
        loaded = self.meta["loadedAddresses"]
        addresses = [Pubkey.from_string(key) for key in (*loaded["writable"], *loaded["readonly"])]
        return [*self.transaction.message.account_keys, *addresses]
