"""Interface of the sources of transactions for the loop that follows the chain.

Whatever the source, RPC serves to compare vaults. Where it may, it also serves to repair gaps and to read past slots
again: such a source may be late or stop, and costs time then, but nothing that it leaves out stays missing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Protocol

from indexer.index.transaction import Transaction


@dataclass(frozen=True, slots=True)
class Frontier:
    """The last transaction read."""

    slot: int
    index: int
    signature: str


Heard = Callable[[int], object]
"""Takes a slot that the chain has got to, as news of it comes."""


class TransactionSource(Protocol):
    """Gives the program's new transactions, and says when there may be some."""

    @property
    def is_live(self) -> bool:
        """True if the source pushes news; otherwise only looking finds it."""

    @property
    def may_repair(self) -> bool:
        """True where the index may take from a node what it lacks of the slots that are read."""

    @property
    def waiting(self) -> int:
        """Amount of news since the last wait."""

    async def run(self) -> None:
        """Keeps listening for news, connecting again whenever that is lost, until cancelled."""

    async def wait(self, seconds: float) -> bool:
        """Waits up to `seconds` for news; True if there was some. All that came since the last wait counts once."""

    def wake(self) -> None:
        """Wakes waiting readers: there may be news."""

    def reach(self, head_slot: int) -> int:
        """The slot to read up to, when the nodes are at `head_slot`."""

    async def reaches(self, slot: int) -> bool:
        """True once `read` can go up to a slot that the nodes have; a source that is behind may be waited for."""

    def read(self, frontier: Frontier | None, until_slot: int) -> AsyncIterator[list[Transaction]]:
        """Everything after `frontier` up to and including `until_slot`, in the chain's order.

        Failed transactions come without their instructions. Raises the node's failures, TransactionMissing or
        UnreadableTransaction; what was handed out until then is complete.
        """

    def completed(self, slot: int) -> None:
        """Everything up to `slot` is in the database."""
