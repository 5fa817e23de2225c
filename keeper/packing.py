"""Packs as many endings into a transaction as its bytes, accounts and compute units allow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from solders.address_lookup_table_account import AddressLookupTableAccount
from solders.hash import Hash
from solders.instruction import Instruction
from solders.message import Message, MessageV0, MessageV1
from solders.pubkey import Pubkey

from anchor_client.errors import TransactionTooLarge
from anchor_client.solana.transactions import ComputeBudget, MessageVersion, compile_message
from anchor_client.solana.transactions.message import MAX_COMPUTE_UNITS
from keeper.endings import Ending

MAX_ACCOUNT_LOCKS: Final = 64
"""Accounts that a transaction may name, looked up or not."""
UNITS_PER_INSTRUCTION: Final = 40_000
"""An upper bound for any ending or creation of a token account; simulation gives the actual limit."""


@dataclass(frozen=True, slots=True)
class Batch:
    """Endings of one transaction, whose signature costs `signature_fee` lamports."""

    endings: tuple[Ending, ...]
    signature_fee: int

    @property
    def instructions(self) -> list[Instruction]:
        """The instructions of all endings, in order."""
        return [instruction for ending in self.endings for instruction in ending.instructions]

    @property
    def surplus(self) -> int:
        """Lamports it earns beyond the signature's fee; they may be spent on priority."""
        return sum(ending.value for ending in self.endings) - self.signature_fee

    def ending_of(self, index: int) -> Ending:
        """The ending of the instruction at `index`."""
        for ending in self.endings:
            index -= len(ending.instructions)
            if index < 0:
                return ending
        raise IndexError(index)

    def without(self, ending: Ending) -> Batch:
        """The other endings."""
        return replace(self, endings=tuple(other for other in self.endings if other is not ending))

    def halves(self) -> tuple[Batch, Batch]:
        """Its two halves; needs at least two endings."""
        middle = len(self.endings) // 2
        return replace(self, endings=self.endings[:middle]), replace(self, endings=self.endings[middle:])


@dataclass(frozen=True, slots=True)
class Packer:
    """Packs for one payer into one version of message. `signature_fee` is the price of its signature in lamports;
    `priced` leaves room for a priority fee; `order` is the keeper's own order of vaults and of rentals by the first
    byte of their address.
    """

    payer: Pubkey
    version: MessageVersion
    signature_fee: int
    lookup_tables: tuple[AddressLookupTableAccount, ...] = ()
    priced: bool = False
    order: Callable[[bytes], int] = int.from_bytes

    def pack(self, endings: Iterable[Ending]) -> list[Batch]:
        """Batches of all endings: best paid first, and those of one vault together, since they share accounts."""
        ordered = sorted(endings, key=self._place)
        batches: list[Batch] = []
        current: list[Ending] = []
        for ending in ordered:
            if current and not self.fits([*current, ending]):
                batches.append(self._batch(current))
                current = []
            current.append(ending)
        return [*batches, self._batch(current)] if current else batches

    def _batch(self, endings: Iterable[Ending]) -> Batch:
        return Batch(tuple(endings), self.signature_fee)

    def _place(self, ending: Ending) -> tuple[int, int, int, int]:
        due = ending.due
        vault = self.order(due.subject.batch_key)
        return -ending.value, vault, self.order(bytes(due.address)[:1]), due.due_at

    def fits(self, endings: Sequence[Ending]) -> bool:
        """True if these endings fit one transaction."""
        instructions = self._batch(endings).instructions
        if len(instructions) * UNITS_PER_INSTRUCTION > MAX_COMPUTE_UNITS:
            return False
        try:
            message = self.message(instructions, Hash.default(), ComputeBudget(priority_fee=1 if self.priced else 0))
        except TransactionTooLarge:
            return False
        return _account_count(message) <= MAX_ACCOUNT_LOCKS

    def message(
        self, instructions: Sequence[Instruction], blockhash: Hash, budget: ComputeBudget
    ) -> Message | MessageV0 | MessageV1:
        """The message of some instructions. TransactionTooLarge."""
        return compile_message(
            instructions,
            self.payer,
            blockhash,
            version=self.version,
            budget=budget,
            lookup_tables=self.lookup_tables,
        )


def _account_count(message: Message | MessageV0 | MessageV1) -> int:
    looked_up = message.address_table_lookups if isinstance(message, MessageV0) else ()
    loaded = sum(len(table.writable_indexes) + len(table.readonly_indexes) for table in looked_up)
    return len(message.account_keys) + loaded
