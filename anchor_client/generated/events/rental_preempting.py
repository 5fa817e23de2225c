"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RentalPreempting(Event):
    """The first order begins to wait for the machine: its holder has until `preempt_at`. Orders that take its place
    leave that moment as it is.
    """

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("d0b91fd1c3b1e903")
    LAYOUT: ClassVar[Fields] = Fields(
        listing=layouts.PUBKEY,
        rental=layouts.PUBKEY,
        challenger=layouts.PUBKEY,
        preempt_at=layouts.I64,
        at=layouts.I64,
        seq=layouts.U32,
        listing_seq=layouts.U64,
    )

    listing: Pubkey
    rental: Pubkey
    """Holds the machine."""
    challenger: Pubkey
    """Waits for it."""
    preempt_at: int
    at: int
    seq: int
    listing_seq: int
