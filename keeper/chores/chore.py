"""What a chore is."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.rpc import Reader
from keeper.settings import ChoreName


@dataclass(frozen=True, slots=True)
class Look:
    """From where a chore looks: the chain, the cluster's clock in unix seconds, and whose expense it is at.

    `now` was read before anything else, so that nothing seems due before it is. `loss` is the most lamports that an
    errand may lose to token accounts it creates.
    """

    reader: Reader
    now: int
    payer: Pubkey
    loss: int = 0


@dataclass(frozen=True, slots=True)
class Errand:
    """Something to do for one account, by the instruction that `task` names; the transactions in their order.

    Once done it rests until `again_at`, unix seconds, even if it seems due before.
    """

    task: str
    subject: Pubkey
    transactions: Sequence[Sequence[Instruction]] = field(repr=False)
    again_at: int = 0


class Chore(Protocol):
    """One kind of unpaid work. It must be permissionless on chain and harmless to repeat."""

    @property
    def name(self) -> ChoreName:
        """What an operator chooses it by."""

    async def find_due(self, look: Look) -> list[Errand]:
        """What is due, each account once; all errands of a task stand together. Raises the network's errors."""
