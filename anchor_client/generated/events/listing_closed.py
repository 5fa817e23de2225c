"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ListingClosed(Event):
    """ListingClosed."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("56dbfdc4b8c2b04e")
    LAYOUT: ClassVar[Fields] = Fields(
        listing=layouts.PUBKEY,
        host=layouts.PUBKEY,
        at=layouts.I64,
        seq=layouts.U64,
        host_seq=layouts.U64,
        host_points=layouts.U32,
        tracked_seconds=layouts.U64,
        up_seconds=layouts.U64,
        host_tracked_seconds=layouts.U64,
        host_up_seconds=layouts.U64,
    )

    listing: Pubkey
    host: Pubkey
    at: int
    seq: int
    host_seq: int
    host_points: int
    tracked_seconds: int
    """Seconds of the listing and its host by now."""
    up_seconds: int
    host_tracked_seconds: int
    host_up_seconds: int
