"""The accounts that every instruction needs that ends a rental, and what must be there before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Listing, Rental
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.rules.rental import is_running
from anchor_client.tokens import NATIVE_MINT, SolPurse, associated_token, create_associated_token

Build = Callable[..., Instruction]
"""A generated instruction that ends a rental."""

NO_LAMPORTS: Final = 0


@dataclass(frozen=True, slots=True)
class Ending:
    """A rental and its listing, as read from the chain, about to be ended by `signer`."""

    signer: Pubkey
    address: Pubkey
    rental: Rental
    listing: Listing
    program_id: Pubkey = PROGRAM_ID

    def instruction(
        self, build: Build, *, renter_token: Pubkey | None = None, host_token: Pubkey | None = None, **arguments: Any
    ) -> Instruction:
        """The ending itself. The mint is passed only when there is a burn: it is one account that is locked less."""
        return build(
            caller=self.signer,
            rental=self.address,
            rental_data=self.rental,
            listing_data=self.listing,
            renter_token=renter_token,
            host_token=host_token,
            mint=self.rental.mint if self.rental.burn_rate > 0 else None,
            program_id=self.program_id,
            **arguments,
        )

    def with_token_accounts(self, build: Build, **arguments: Any) -> list[Instruction]:
        """The ending behind instructions that make both parties' token accounts if they are missing; signer pays."""
        renter_token = create_associated_token(self.signer, self.rental.renter, self.rental.mint)
        return [renter_token, *self._host_token_account(), self.instruction(build, **arguments)]

    def by_renter(self, build: Build, token_account_rent: int, **arguments: Any) -> list[Instruction]:
        """The ending when the renter signs it: what he paid in SOL comes back as SOL in the same transaction."""
        if self.rental.mint != NATIVE_MINT:
            return self.with_token_accounts(build, **arguments)
        purse = SolPurse.of(self.signer, NO_LAMPORTS, token_account_rent)
        return [
            *self._host_token_account(),
            *purse.before,
            self.instruction(build, renter_token=purse.address, **arguments),
            *purse.after,
        ]

    def refunded(self, build: Build, token_account_rent: int) -> list[Instruction]:
        """The end of an order that never held its machine: everything goes back to the renter, who signs it."""
        accounts: dict[str, Any] = {
            "caller": self.signer,
            "rental": self.address,
            "rental_data": self.rental,
            "program_id": self.program_id,
        }
        if self.rental.mint != NATIVE_MINT or self.signer != self.rental.renter:
            token_account = create_associated_token(self.signer, self.rental.renter, self.rental.mint)
            return [token_account, build(**accounts)]
        purse = SolPurse.of(self.signer, NO_LAMPORTS, token_account_rent)
        return [*purse.before, build(**accounts, renter_token=purse.address), *purse.after]

    def _host_token_account(self) -> list[Instruction]:
        """Only a rental that has started pays its host."""
        if not is_running(self.rental):
            return []
        return [create_associated_token(self.signer, self.listing.authority, self.rental.mint)]

    @property
    def renter_token(self) -> Pubkey:
        """Where a refund goes unless another account is named."""
        return associated_token(self.rental.renter, self.rental.mint)

    @property
    def host_token(self) -> Pubkey:
        """Where a payment goes unless another account is named."""
        return associated_token(self.listing.authority, self.rental.mint)
