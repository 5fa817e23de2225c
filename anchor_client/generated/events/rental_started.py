"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RentalStarted(Event):
    """RentalStarted."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("3d6314e8492128fc")
    LAYOUT: ClassVar[Fields] = Fields(
        rental=layouts.PUBKEY,
        listing=layouts.PUBKEY,
        at=layouts.I64,
        paid_until=layouts.I64,
        seq=layouts.U32,
        matched_by=layouts.PUBKEY,
        match_tip=layouts.U32,
    )

    rental: Pubkey
    listing: Pubkey
    at: int
    paid_until: int
    seq: int
    matched_by: Pubkey
    """Matcher of the request that it was, and their pay now; both zero without one."""
    match_tip: int
