"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Account


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RenterProfile(Account):
    """A wallet that rents, at seeds `"renter", wallet`: its next nonce and what quotas scale with. Closed and made
    again, it begins with higher nonces, so no rental's or request's address is ever used twice.
    """

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("08a397f09bdacab5")
    SIZE: ClassVar[int] = 176
    OFFSETS: ClassVar[Mapping[str, int]] = MappingProxyType(
        {
            "version": 8,
            "bump": 9,
            "reserved_flags": 10,
            "wallet": 16,
            "stake": 48,
            "next_nonce": 80,
            "spent_usd": 88,
            "reported_usd": 96,
            "active_rentals": 104,
            "completed_rentals": 108,
            "region_rentals": 112,
        }
    )
    LAYOUT: ClassVar[Fields] = Fields(
        version=layouts.U8,
        bump=layouts.U8,
        reserved_flags=layouts.byte_array(6),
        wallet=layouts.PUBKEY,
        stake=layouts.PUBKEY,
        next_nonce=layouts.U64,
        spent_usd=layouts.U64,
        reported_usd=layouts.U64,
        active_rentals=layouts.U32,
        completed_rentals=layouts.U32,
        region_rentals=layouts.byte_array(64),
    )

    version: int
    bump: int
    reserved_flags: bytes
    wallet: Pubkey
    stake: Pubkey
    """Address of the wallet's stake account, whether there is one or not."""
    next_nonce: int
    spent_usd: int
    """Micro-USD that the wallet has paid itself for machine time, over all ended rentals."""
    reported_usd: int
    """Of `spent_usd`, what has weighed in reports that a machine was not as listed."""
    active_rentals: int
    completed_rentals: int
    region_rentals: bytes
    """Rentals at a time in each region."""
