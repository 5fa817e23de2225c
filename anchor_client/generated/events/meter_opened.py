"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event

from ..types.charges import Charges


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class MeterOpened(Event):
    """Rates are base units per TB of traffic above the allowance and per 1000 GB-hours of storage."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("9a6e427f0300da44")
    LAYOUT: ClassVar[Fields] = Fields(
        meter=layouts.PUBKEY,
        rental=layouts.PUBKEY,
        renter=layouts.PUBKEY,
        listing=layouts.PUBKEY,
        authority=layouts.PUBKEY,
        mint=layouts.PUBKEY,
        shard=layouts.U8,
        cap=layouts.U64,
        charges=layouts.struct(Charges),
        bandwidth_rate=layouts.U64,
        storage_rate=layouts.U64,
        storage_gb=layouts.U32,
        charge_window=layouts.U32,
        at=layouts.I64,
        seq=layouts.U64,
        vault_seq=layouts.U64,
        paid_until=layouts.I64,
        rental_seq=layouts.U32,
    )

    meter: Pubkey
    rental: Pubkey
    renter: Pubkey
    listing: Pubkey
    authority: Pubkey
    mint: Pubkey
    shard: int
    cap: int
    charges: Charges
    bandwidth_rate: int
    storage_rate: int
    storage_gb: int
    charge_window: int
    at: int
    seq: int
    vault_seq: int
    paid_until: int
    """Until when the rental is paid for; zero before it starts."""
    rental_seq: int
