"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RentalTookOver(Event):
    """The order that waited holds the machine now; its host has until `start_by`."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("1d31dda4e8544117")
    LAYOUT: ClassVar[Fields] = Fields(
        listing=layouts.PUBKEY,
        rental=layouts.PUBKEY,
        preempted=layouts.PUBKEY,
        start_by=layouts.I64,
        at=layouts.I64,
        seq=layouts.U32,
        listing_seq=layouts.U64,
        mint=layouts.PUBKEY,
        compensation=layouts.U64,
        compensation_kept=layouts.U64,
        vault_seq=layouts.U64,
    )

    listing: Pubkey
    rental: Pubkey
    preempted: Pubkey
    """The rental that was preempted for it, or that the host ended while it waited; zero if the machine had fallen
    idle.
    """
    start_by: int
    at: int
    seq: int
    listing_seq: int
    mint: Pubkey
    compensation: int
    """Paid out of the order's deposit to the renter of `preempted`, in `mint`."""
    compensation_kept: int
    """Of `compensation`, what they could not take: a fee."""
    vault_seq: int
    """Of the order's vault; zero without a compensation."""
