"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event

from ..types.listing_count import ListingCount


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class HostCounted(Event):
    """Counts of listings since the last time moved to their host, whose totals these are; `listings` are those that
    were counted for the next score or had something to move.
    """

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("29a576977e0b6748")
    LAYOUT: ClassVar[Fields] = Fields(
        host=layouts.PUBKEY,
        at=layouts.I64,
        rating_sum=layouts.U64,
        rating_weight=layouts.U64,
        paid_usd=layouts.U64,
        completed=layouts.U32,
        failed=layouts.U32,
        refused=layouts.U32,
        seq=layouts.U64,
        listings=layouts.vec(layouts.struct(ListingCount)),
    )

    host: Pubkey
    at: int
    rating_sum: int
    rating_weight: int
    paid_usd: int
    completed: int
    failed: int
    refused: int
    seq: int
    listings: tuple[ListingCount, ...]
