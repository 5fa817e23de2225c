"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ListingRefreshed(Event):
    """A listing took what the catalog now says of its machine; the reference prices are micro-USD per GPU-hour."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("0fa88222b1651155")
    LAYOUT: ClassVar[Fields] = Fields(
        listing=layouts.PUBKEY,
        host=layouts.PUBKEY,
        old_points=layouts.U32,
        new_points=layouts.U32,
        old_reference_usd=layouts.U32,
        new_reference_usd=layouts.U32,
        host_points=layouts.U32,
        by=layouts.PUBKEY,
        at=layouts.I64,
        seq=layouts.U64,
        host_seq=layouts.U64,
    )

    listing: Pubkey
    host: Pubkey
    old_points: int
    new_points: int
    old_reference_usd: int
    new_reference_usd: int
    host_points: int
    by: Pubkey
    at: int
    seq: int
    host_seq: int
