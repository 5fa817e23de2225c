"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from anchor_idl.runtime.discriminators import entry_for
from anchor_idl.runtime.errors import UnknownAccount
from anchor_idl.runtime.lazy import LazyTable, importer

if TYPE_CHECKING:
    from anchor_idl.runtime.structs import Account


ACCOUNTS: Final[Mapping[bytes, type[Account]]] = LazyTable(
    __name__,
    {
        bytes.fromhex("af20176a4d47e3c8"): ("catalog", "Catalog"),
        bytes.fromhex("c689c181f31d1160"): ("gpu_model", "GpuModel"),
        bytes.fromhex("8dc31c5d2d7fafd8"): ("host", "Host"),
        bytes.fromhex("da2032492b861a3a"): ("listing", "Listing"),
        bytes.fromhex("dbbed53700e3c69a"): ("market", "Market"),
        bytes.fromhex("0573e3f03fa6ceb6"): ("meter", "Meter"),
        bytes.fromhex("ea49666869d3fbee"): ("payment_mint", "PaymentMint"),
        bytes.fromhex("1a5ebdbb74883521"): ("proposal", "Proposal"),
        bytes.fromhex("7953e5eb49328fb8"): ("rental", "Rental"),
        bytes.fromhex("08a397f09bdacab5"): ("renter_profile", "RenterProfile"),
        bytes.fromhex("7dac96a1a2732747"): ("request", "Request"),
        bytes.fromhex("509e437c32bdc0ff"): ("stake_account", "StakeAccount"),
        bytes.fromhex("7922ce154f7fff1c"): ("stake_pool", "StakePool"),
        bytes.fromhex("d308e82b02987577"): ("vault", "Vault"),
        bytes.fromhex("70097ba5ea099da7"): ("vote_record", "VoteRecord"),
    },
)


def decode_account(data: bytes) -> Account:
    """The account whose discriminator the data starts with; UnknownAccount, LayoutTooShort or InvalidValue."""
    kind = entry_for(ACCOUNTS, data)
    if kind is None:
        raise UnknownAccount(f"no account starts with {bytes(data[:8]).hex() or 'nothing'}")
    return kind.decode(data)


if TYPE_CHECKING:
    from .catalog import Catalog as Catalog
    from .gpu_model import GpuModel as GpuModel
    from .host import Host as Host
    from .listing import Listing as Listing
    from .market import Market as Market
    from .meter import Meter as Meter
    from .payment_mint import PaymentMint as PaymentMint
    from .proposal import Proposal as Proposal
    from .rental import Rental as Rental
    from .renter_profile import RenterProfile as RenterProfile
    from .request import Request as Request
    from .stake_account import StakeAccount as StakeAccount
    from .stake_pool import StakePool as StakePool
    from .vault import Vault as Vault
    from .vote_record import VoteRecord as VoteRecord
else:
    __getattr__ = importer(__name__, ACCOUNTS.places.values())
