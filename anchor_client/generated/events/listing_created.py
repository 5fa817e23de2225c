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
class ListingCreated(Event):
    """ListingCreated."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("5ea4a7fff6ba0c60")
    LAYOUT: ClassVar[Fields] = Fields(
        listing=layouts.PUBKEY,
        host=layouts.PUBKEY,
        authority=layouts.PUBKEY,
        id=layouts.U32,
        spec=layouts.struct(ListingSpec),
        at=layouts.I64,
        seq=layouts.U64,
        host_seq=layouts.U64,
        points=layouts.U32,
        host_points=layouts.U32,
        spec_version=layouts.U32,
        reference_usd=layouts.U32,
    )

    listing: Pubkey
    host: Pubkey
    authority: Pubkey
    id: int
    spec: ListingSpec
    at: int
    seq: int
    host_seq: int
    points: int
    host_points: int
    spec_version: int
    reference_usd: int
