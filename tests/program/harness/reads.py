"""The state of the seeded market's accounts."""

from __future__ import annotations

from typing import TypeVar

from solders.account import Account as ChainAccount
from solders.pubkey import Pubkey

from anchor_client.generated.accounts.host import Host
from anchor_client.generated.accounts.listing import Listing
from anchor_client.generated.accounts.market import Market
from anchor_client.generated.accounts.payment_mint import PaymentMint
from anchor_client.generated.accounts.rental import Rental
from anchor_client.generated.accounts.renter_profile import RenterProfile
from anchor_client.generated.accounts.request import Request
from anchor_client.generated.accounts.vault import Vault
from anchor_client.generated.pdas import (
    find_host,
    find_payment_mint,
    find_renter_profile,
    find_vault,
)
from anchor_idl.runtime.structs import Account

from .actors import GPUM, HOST, LISTING, MARKET, RENTER, WSOL
from .audit import Audit
from .cluster import Cluster
from .states import state_of
from .tokens import balance_of, token_address

A = TypeVar("A", bound=Account)


class Reads:
    """Reads accounts of a cluster; each belongs to the seeded market unless another is named."""

    cluster: Cluster
    audit: Audit

    def read(self, kind: type[A], address: Pubkey) -> A:
        account = self.cluster.account(address)
        assert account is not None, f"no {kind.__name__} at {address}"
        state = state_of(account.data)
        assert isinstance(state, kind), f"{address} is a {type(state).__name__}"
        return state

    def exists(self, address: Pubkey) -> bool:
        return self.cluster.account(address) is not None

    def rewrite(self, address: Pubkey, state: Account) -> None:
        """Puts a program account into a state that no transaction leads to; the audit stops here."""
        self.cluster.observers.clear()
        account = self.cluster.account(address)
        assert account is not None
        self.cluster.set_account(address, ChainAccount(account.lamports, state.encode(), account.owner))

    def market(self) -> Market:
        return self.read(Market, MARKET)

    def payment_mint(self, mint: Pubkey = GPUM) -> PaymentMint:
        return self.read(PaymentMint, find_payment_mint(mint)[0])

    def vault(self, mint: Pubkey = GPUM, shard: int = 0) -> Vault:
        return self.read(Vault, find_vault(mint, shard)[0])

    def host(self, authority: Pubkey = HOST) -> Host:
        return self.read(Host, find_host(authority)[0])

    def listing(self, listing: Pubkey = LISTING) -> Listing:
        return self.read(Listing, listing)

    def rental(self, rental: Pubkey) -> Rental:
        return self.read(Rental, rental)

    def request(self, request: Pubkey) -> Request:
        return self.read(Request, request)

    def profile(self, wallet: Pubkey = RENTER) -> RenterProfile:
        return self.read(RenterProfile, find_renter_profile(wallet)[0])

    def tokens(self, owner: Pubkey, mint: Pubkey = GPUM) -> int:
        """Balance of the owner's associated token account, and what they were paid in SOL itself."""
        paid = self.audit.lamports_paid[owner] if mint == WSOL else 0
        return balance_of(self.cluster, token_address(owner, mint)) + paid
