"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event

from ..types.listing_beat import ListingBeat


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class HostHeartbeat(Event):
    """Heartbeat of several listings of one host; `tracked` and `up` are each listing's totals after it."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("ebc391191101a447")
    LAYOUT: ClassVar[Fields] = Fields(
        host=layouts.PUBKEY,
        at=layouts.I64,
        tracked_seconds=layouts.U64,
        up_seconds=layouts.U64,
        seq=layouts.U64,
        listings=layouts.vec(layouts.struct(ListingBeat)),
    )

    host: Pubkey
    at: int
    tracked_seconds: int
    up_seconds: int
    seq: int
    listings: tuple[ListingBeat, ...]
