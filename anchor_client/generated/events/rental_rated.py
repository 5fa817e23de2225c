"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RentalRated(Event):
    """RentalRated."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("c7453a1b2f033c75")
    LAYOUT: ClassVar[Fields] = Fields(
        rental=layouts.PUBKEY,
        listing=layouts.PUBKEY,
        rating=layouts.U8,
        weight=layouts.U64,
        at=layouts.I64,
        seq=layouts.U32,
        listing_seq=layouts.U64,
    )

    rental: Pubkey
    listing: Pubkey
    rating: int
    weight: int
    """Micro-USD of machine time that the renter had paid for when rating, without the subsidy's part."""
    at: int
    seq: int
    listing_seq: int
