"""Endings: due tasks, with their instructions and their value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated.program import SYSTEM_PROGRAM
from keeper.tasks.task import DueTask, TaskAccounts

UNPAID_RENTER_SEED: Final = "unpaid-renter"
UNPAID_HOST_SEED: Final = "unpaid-host"


def unpaid_parties(signer: Pubkey) -> tuple[Pubkey, Pubkey]:
    """Placeholders in a keeper's endings for accounts of a renter and a host that are paid nothing."""
    seeds = (UNPAID_RENTER_SEED, UNPAID_HOST_SEED)
    renter, host = (Pubkey.create_with_seed(signer, seed, SYSTEM_PROGRAM) for seed in seeds)
    return renter, host


class SkipReason(StrEnum):
    """Why something due is left alone, by the operator's own terms."""

    UNPROFITABLE = "unprofitable"


@dataclass(frozen=True, slots=True)
class Ending:
    """A due task with its instructions; `value` is its income in lamports, before the transaction's fee."""

    due: DueTask[Any]
    instructions: tuple[Instruction, ...]
    value: int

    @property
    def transactions(self) -> list[Sequence[Instruction]]:
        """The ending's own instructions, in order."""
        if self.due.task.apart:
            return [[each] for each in self.instructions]
        return [self.instructions]


class EndingBuilder:
    """Builds endings for a keeper's wallet, which pays for no one's token account: an unpayable amount is owed to the
    party. `unpaid_loss` is the maximum loss of an ending without a tip.
    """

    def __init__(self, signer: Pubkey, program_id: Pubkey, *, unpaid_loss: int = 0) -> None:
        self._signer = signer
        self._program_id = program_id
        self._unpaid_loss = unpaid_loss
        # Stand for accounts that nothing is paid to, which the program does not look at. All endings of a keeper share
        # them, and no other transaction locks them. The two parties' must differ.
        self._no_renter, self._no_host = unpaid_parties(signer)

    def build(self, due: Iterable[DueTask[Any]]) -> list[Ending]:
        """Endings of due tasks."""
        return [self._ending(entry) for entry in due]

    def _ending(self, entry: DueTask[Any]) -> Ending:
        parties = entry.parties
        accounts = TaskAccounts(
            caller=self._signer,
            host_payout=self._no_host if parties.host is None else parties.host.account,
            renter_payout=self._no_renter if parties.renter is None else parties.renter.account,
            program_id=self._program_id,
        )
        value = entry.income if entry.task.pays_tip else self._unpaid_loss
        return Ending(entry, tuple(entry.task.build(entry.subject, accounts)), value)
