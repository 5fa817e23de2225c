"""What is due, with the instructions that do it, what it is worth and what it costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated.program import SYSTEM_PROGRAM
from anchor_client.rpc import Reader
from anchor_client.tokens import TOKEN_ACCOUNT_BYTES, create_associated_token
from keeper.tasks.task import Accounts, Due
from keeper.token_accounts import Payee, find_token_accounts

UNPAID_RENTER_SEED: Final = "unpaid-renter"
UNPAID_HOST_SEED: Final = "unpaid-host"


class SkipReason(StrEnum):
    """Why something due is left alone, by the operator's own terms."""

    HOST_TOKEN_MISSING = "host_token_missing"
    RENTER_TOKEN_MISSING = "renter_token_missing"
    UNPROFITABLE = "unprofitable"


@dataclass(frozen=True, slots=True)
class Ending:
    """Something due, with its instructions.

    `value` is lamports it brings, before the transaction's fee; `rent` is what token accounts created on the way take
    from the keeper.
    """

    due: Due[Any]
    instructions: tuple[Instruction, ...]
    value: int
    rent: int

    @property
    def transactions(self) -> list[Sequence[Instruction]]:
        """The instructions as they are sent without others, in order."""
        return [[each] for each in self.instructions] if self.due.task.apart else [self.instructions]


@dataclass(frozen=True, slots=True)
class Endings:
    """Those that pay for themselves, and why others are left."""

    ready: Sequence[Ending]
    skipped: Mapping[Pubkey, SkipReason]


class EndingBuilder:
    """Builds endings for a keeper's wallet.

    `loss` is the most that one with a created token account may lose, `unpaid_loss` one that pays no tip.
    """

    def __init__(self, reader: Reader, signer: Pubkey, *, loss: int, unpaid_loss: int = 0) -> None:
        self._reader = reader
        self._signer = signer
        self._loss = loss
        self._unpaid_loss = unpaid_loss
        # Stand for token accounts that nothing is paid to, which the program does not look at. All endings of a keeper
        # share them, and no other transaction locks them. The two parties' must differ.
        self._no_renter = Pubkey.create_with_seed(signer, UNPAID_RENTER_SEED, SYSTEM_PROGRAM)
        self._no_host = Pubkey.create_with_seed(signer, UNPAID_HOST_SEED, SYSTEM_PROGRAM)

    async def build(self, due: Iterable[Due[Any]]) -> Endings:
        """Endings of what is due. Raises the network's errors."""
        entries = [(entry, entry.parties) for entry in due]
        payees = (payee for _, parties in entries for payee in parties.payees)
        accounts = await find_token_accounts(self._reader, payees)
        rent = await self._reader.rent_exempt_minimum(TOKEN_ACCOUNT_BYTES) if None in accounts.values() else 0
        ready, skipped = [], {}
        for entry, parties in entries:
            missing = [payee for payee in parties.payees if accounts[payee] is None]
            income = entry.tip if entry.task.pays_tip else self._unpaid_loss
            cost = rent * len(missing)
            value = income - cost + (self._loss if missing else 0)
            if value < 0:
                renter_missing = parties.renter in missing
                skipped[entry.address] = (
                    SkipReason.RENTER_TOKEN_MISSING if renter_missing else SkipReason.HOST_TOKEN_MISSING
                )
                continue
            creates = [create_associated_token(self._signer, payee.owner, payee.mint) for payee in missing]
            called_with = Accounts(
                caller=self._signer,
                host_token=_account(parties.host, accounts) or self._no_host,
                renter_token=_account(parties.renter, accounts) or self._no_renter,
                program_id=self._reader.program_id,
            )
            instructions = (*creates, *entry.task.build(entry.subject, called_with))
            ready.append(Ending(entry, instructions, value, cost))
        return Endings(ready, skipped)


def _account(payee: Payee | None, accounts: Mapping[Payee, Pubkey | None]) -> Pubkey | None:
    return None if payee is None else accounts[payee] or payee.associated
