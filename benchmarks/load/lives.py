"""The instructions of a rental's life, for one party of a population, paid in the market token."""

from __future__ import annotations

from dataclasses import dataclass

from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey
from solders.token import ID as TOKEN_PROGRAM

from anchor_client.generated import instructions
from anchor_client.generated.pdas import (
    find_associated_token,
    find_host,
    find_payment_mint,
    find_rental,
    find_renter_profile,
    find_vault,
)
from anchor_client.generated.types.order import Order
from anchor_client.generated.types.rental_kind import RentalKind
from benchmarks.load.population import Party

U64_MAX = 2**64 - 1
ORDER_HASH = bytes(range(32))
CONNECTION = bytes(160)
"""As long as a sealed connection is."""


@dataclass(frozen=True, slots=True)
class Life:
    """One rental of a party: every address it touches, derived once."""

    party: Party
    mint: Pubkey
    nonce: int
    rental: Pubkey
    vault: Pubkey
    vault_token: Pubkey
    renter_token: Pubkey
    host_token: Pubkey

    @classmethod
    def begin(cls, party: Party, mint: Pubkey, shard: int) -> Life:
        """The party's next rental, escrowed in a shard's vault."""
        vault, nonce = find_vault(mint, shard)[0], party.nonce
        party.nonce += 1
        token_of = {
            owner: find_associated_token(owner, TOKEN_PROGRAM, mint)[0]
            for owner in (vault, party.renter.pubkey(), party.host.pubkey())
        }
        return cls(
            party=party,
            mint=mint,
            nonce=nonce,
            rental=find_rental(party.renter.pubkey(), nonce)[0],
            vault=vault,
            vault_token=token_of[vault],
            renter_token=token_of[party.renter.pubkey()],
            host_token=token_of[party.host.pubkey()],
        )

    def open(self, duration: int) -> Instruction:
        """Signed by the renter; seconds."""
        return instructions.open_rental(
            nonce=self.nonce,
            order=Order(
                kind=RentalKind.ON_DEMAND, duration=duration, max_deposit=U64_MAX, order_hash=ORDER_HASH, bid_usd=0
            ),
            renter=self._renter,
            payment_mint=find_payment_mint(self.mint)[0],
            vault=self.vault,
            vault_token=self.vault_token,
            listing=self.party.listing,
            host=find_host(self.party.host.pubkey())[0],
            renter_token=self.renter_token,
        )

    def accept(self) -> Instruction:
        """Signed by the host."""
        return instructions.accept_rental(
            connection=CONNECTION,
            authority=self.party.host.pubkey(),
            rental=self.rental,
            listing=self.party.listing,
            host_token=self.host_token,
        )

    def start(self) -> Instruction:
        """Signed by the host."""
        return instructions.start_rental(
            authority=self.party.host.pubkey(), rental=self.rental, listing=self.party.listing
        )

    def settle(self) -> Instruction:
        """Signed by nobody in particular."""
        return instructions.settle_rental(
            rental=self.rental,
            listing=self.party.listing,
            vault=self.vault,
            vault_token=self.vault_token,
            host_token=self.host_token,
        )

    def rate(self, rating: int) -> Instruction:
        """Signed by the renter."""
        return instructions.rate_rental(
            rating=rating, renter=self._renter, rental=self.rental, listing=self.party.listing
        )

    def finalize(self) -> Instruction:
        """Signed by the renter here, as anyone might."""
        return instructions.finalize_rental(
            caller=self._renter,
            rental=self.rental,
            listing=self.party.listing,
            renter=self._renter,
            renter_profile=find_renter_profile(self._renter)[0],
            vault=self.vault,
            vault_token=self.vault_token,
            renter_token=self.renter_token,
            host_token=self.host_token,
            mint=self.mint,
        )

    def beat(self) -> Instruction:
        """A heartbeat, signed by the host."""
        listing = AccountMeta(self.party.listing, is_signer=False, is_writable=True)
        return instructions.heartbeat(authority=self.party.host.pubkey(), remaining_accounts=[listing])

    @property
    def _renter(self) -> Pubkey:
        return self.party.renter.pubkey()
