"""What ending one rental touches, is worth and costs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated.pdas import find_renter_profile, find_vault
from anchor_client.generated.program import SYSTEM_PROGRAM
from anchor_client.rpc import Reader
from anchor_client.tokens import TOKEN_ACCOUNT_BYTES, associated_token, create_associated_token
from keeper.tasks import Due
from keeper.tasks.request_due import RequestDue
from keeper.token_accounts import Payee, find_token_accounts

UNPAID_RENTER_SEED: Final = "unpaid-renter"
UNPAID_HOST_SEED: Final = "unpaid-host"


class SkipReason(StrEnum):
    """Why a rental that is due is left alone, by the operator's own terms."""

    HOST_TOKEN_MISSING = "host_token_missing"
    RENTER_TOKEN_MISSING = "renter_token_missing"
    UNPROFITABLE = "unprofitable"


@dataclass(frozen=True, slots=True)
class Ending:
    """A rental or request to end, with the instructions that do it.

    `value` is lamports it brings, before the transaction's fee; `rent` is what token accounts created on the way take
    from the keeper.
    """

    due: Due | RequestDue
    instructions: tuple[Instruction, ...]
    vault: Pubkey
    value: int
    rent: int

    @property
    def tip(self) -> int:
        """Lamports the keeper is paid."""
        return self.due.tip


@dataclass(frozen=True, slots=True)
class Endings:
    """Endings that pay for themselves, and why others are left."""

    ready: Sequence[Ending]
    skipped: Mapping[Pubkey, SkipReason]


class EndingBuilder:
    """Builds the endings of a keeper's wallet.

    `loss` is the most that one with a created token account may lose, `unpaid_loss` one that pays no tip.
    """

    def __init__(self, reader: Reader, signer: Pubkey, *, loss: int, unpaid_loss: int = 0) -> None:
        self._reader = reader
        self._signer = signer
        self._loss = loss
        self._unpaid_loss = unpaid_loss
        self._rent: int | None = None

    async def build(self, due: Iterable[Due]) -> Endings:
        """Endings of what is due. Raises the network's errors."""
        entries = list(due)
        accounts = await find_token_accounts(self._reader, (payee for entry in entries for payee in _payees(entry)))
        rent = await self._token_account_rent() if None in accounts.values() else 0
        ready, skipped = [], {}
        for entry in entries:
            missing = [payee for payee in _payees(entry) if accounts[payee] is None]
            income = entry.tip if entry.task.pays_tip else self._unpaid_loss
            cost = rent * len(missing)
            value = income - cost + (self._loss if missing else 0)
            if value < 0:
                skipped[entry.address] = _missing_reason(entry, missing)
            else:
                ready.append(self._ending(entry, accounts, missing, value, cost))
        return Endings(ready, skipped)

    def _ending(
        self, due: Due, accounts: Mapping[Payee, Pubkey | None], missing: Sequence[Payee], value: int, rent: int
    ) -> Ending:
        rental, split = due.rental, due.split
        vault = find_vault(rental.mint, rental.shard, self._reader.program_id)[0]
        creates = [create_associated_token(self._signer, payee.owner, payee.mint) for payee in missing]

        def account(payee: Payee, amount: int) -> Pubkey:
            return (accounts[payee] or payee.associated) if amount > 0 else self._unpaid(payee.owner == rental.renter)

        end = due.task.build(
            caller=self._signer,
            rental=due.address,
            listing=rental.listing,
            renter=rental.renter,
            renter_profile=find_renter_profile(rental.renter, self._reader.program_id)[0],
            vault=vault,
            vault_token=associated_token(vault, rental.mint),
            renter_token=account(_renter(due), split.refunded),
            host_token=account(_host(due), split.paid),
            mint=rental.mint if split.burned > 0 else None,
            **({"challenger": due.listing.challenger} if due.task.names_challenger else {}),
            program_id=self._reader.program_id,
        )
        return Ending(due, (*creates, end), vault, value, rent)

    def _unpaid(self, renter: bool) -> Pubkey:
        """What stands for a token account that nothing is paid to: the program does not look at it.

        All endings of a keeper share it, and no other transaction locks it. The two parties' must differ.
        """
        seed = UNPAID_RENTER_SEED if renter else UNPAID_HOST_SEED
        return Pubkey.create_with_seed(self._signer, seed, SYSTEM_PROGRAM)

    async def _token_account_rent(self) -> int:
        if self._rent is None:
            self._rent = await self._reader.rent_exempt_minimum(TOKEN_ACCOUNT_BYTES)
        return self._rent


def _host(due: Due) -> Payee:
    return Payee(due.listing.authority, due.rental.mint)


def _renter(due: Due) -> Payee:
    return Payee(due.rental.renter, due.rental.mint)


def _payees(due: Due) -> list[Payee]:
    host = [_host(due)] if due.split.paid > 0 else []
    return host + ([_renter(due)] if due.split.refunded > 0 else [])


def _missing_reason(due: Due, missing: Sequence[Payee]) -> SkipReason:
    return SkipReason.RENTER_TOKEN_MISSING if _renter(due) in missing else SkipReason.HOST_TOKEN_MISSING
