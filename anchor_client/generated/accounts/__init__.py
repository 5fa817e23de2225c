"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from anchor_client.idl_runtime.discriminators import entry_for
from anchor_client.idl_runtime.errors import UnknownAccount
from anchor_client.idl_runtime.structs import Account

from .host import Host
from .listing import Listing
from .market import Market
from .payment_mint import PaymentMint
from .rental import Rental
from .renter_profile import RenterProfile
from .request import Request
from .stake_account import StakeAccount
from .vault import Vault

__all__ = [
    "ACCOUNTS",
    "Host",
    "Listing",
    "Market",
    "PaymentMint",
    "Rental",
    "RenterProfile",
    "Request",
    "StakeAccount",
    "UnknownAccount",
    "Vault",
    "decode_account",
]


ACCOUNTS: Final[Mapping[bytes, type[Account]]] = MappingProxyType(
    {
        Host.DISCRIMINATOR: Host,
        Listing.DISCRIMINATOR: Listing,
        Market.DISCRIMINATOR: Market,
        PaymentMint.DISCRIMINATOR: PaymentMint,
        Rental.DISCRIMINATOR: Rental,
        RenterProfile.DISCRIMINATOR: RenterProfile,
        Request.DISCRIMINATOR: Request,
        StakeAccount.DISCRIMINATOR: StakeAccount,
        Vault.DISCRIMINATOR: Vault,
    }
)


def decode_account(data: bytes) -> Account:
    """The account whose discriminator the data starts with; UnknownAccount, LayoutTooShort or InvalidValue."""
    kind = entry_for(ACCOUNTS, data)
    if kind is None:
        raise UnknownAccount(f"no account starts with {bytes(data[:8]).hex() or 'nothing'}")
    return kind.decode(data)
