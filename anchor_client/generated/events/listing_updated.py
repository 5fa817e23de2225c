"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event

from ..types.listing_spec import ListingSpec


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ListingUpdated(Event):
    """ListingUpdated."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("bed7c78afff8623e")
    LAYOUT: ClassVar[Fields] = Fields(
        listing=layouts.PUBKEY,
        old_on_demand_usd=layouts.U64,
        old_spot_min_usd=layouts.U64,
        spec=layouts.struct(ListingSpec),
        at=layouts.I64,
        seq=layouts.U64,
        host=layouts.PUBKEY,
        host_seq=layouts.U64,
        points=layouts.U32,
        host_points=layouts.U32,
        spec_version=layouts.U32,
        tracked_seconds=layouts.U64,
        up_seconds=layouts.U64,
        host_tracked_seconds=layouts.U64,
        host_up_seconds=layouts.U64,
        reference_usd=layouts.U32,
    )

    listing: Pubkey
    old_on_demand_usd: int
    old_spot_min_usd: int
    spec: ListingSpec
    at: int
    seq: int
    host: Pubkey
    host_seq: int
    points: int
    host_points: int
    spec_version: int
    tracked_seconds: int
    """Seconds of the listing and its host by now."""
    up_seconds: int
    host_tracked_seconds: int
    host_up_seconds: int
    reference_usd: int
