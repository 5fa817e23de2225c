"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from anchor_idl.runtime.discriminators import entry_for
from anchor_idl.runtime.errors import UnknownAccount
from anchor_idl.runtime.structs import Account

from .catalog import Catalog
from .host import Host
from .listing import Listing
from .market import Market
from .meter import Meter
from .payment_mint import PaymentMint
from .proposal import Proposal
from .rental import Rental
from .renter_profile import RenterProfile
from .request import Request
from .stake_account import StakeAccount
from .stake_pool import StakePool
from .vault import Vault
from .vote_record import VoteRecord

__all__ = [
    "ACCOUNTS",
    "Catalog",
    "Host",
    "Listing",
    "Market",
    "Meter",
    "PaymentMint",
    "Proposal",
    "Rental",
    "RenterProfile",
    "Request",
    "StakeAccount",
    "StakePool",
    "UnknownAccount",
    "Vault",
    "VoteRecord",
    "decode_account",
]


ACCOUNTS: Final[Mapping[bytes, type[Account]]] = MappingProxyType(
    {
        Catalog.DISCRIMINATOR: Catalog,
        Host.DISCRIMINATOR: Host,
        Listing.DISCRIMINATOR: Listing,
        Market.DISCRIMINATOR: Market,
        Meter.DISCRIMINATOR: Meter,
        PaymentMint.DISCRIMINATOR: PaymentMint,
        Proposal.DISCRIMINATOR: Proposal,
        Rental.DISCRIMINATOR: Rental,
        RenterProfile.DISCRIMINATOR: RenterProfile,
        Request.DISCRIMINATOR: Request,
        StakeAccount.DISCRIMINATOR: StakeAccount,
        StakePool.DISCRIMINATOR: StakePool,
        Vault.DISCRIMINATOR: Vault,
        VoteRecord.DISCRIMINATOR: VoteRecord,
    }
)


def decode_account(data: bytes) -> Account:
    """The account whose discriminator the data starts with; UnknownAccount, LayoutTooShort or InvalidValue."""
    kind = entry_for(ACCOUNTS, data)
    if kind is None:
        raise UnknownAccount(f"no account starts with {bytes(data[:8]).hex() or 'nothing'}")
    return kind.decode(data)
