"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class HolderCompensated(Event):
    """The holder was preempted, and the order that waits compensated them; it waits on, until the listing's host has
    claimed what it is owed.
    """

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("1d25be93c69099e2")
    LAYOUT: ClassVar[Fields] = Fields(
        rental=layouts.PUBKEY,
        listing=layouts.PUBKEY,
        preempted=layouts.PUBKEY,
        mint=layouts.PUBKEY,
        compensation=layouts.U64,
        compensation_kept=layouts.U64,
        at=layouts.I64,
        seq=layouts.U32,
        vault_seq=layouts.U64,
    )

    rental: Pubkey
    """The order that waits."""
    listing: Pubkey
    preempted: Pubkey
    mint: Pubkey
    compensation: int
    """Paid out of the order's deposit to the renter of `preempted`, in `mint`."""
    compensation_kept: int
    """Of `compensation`, what they could not take: a fee."""
    at: int
    seq: int
    vault_seq: int
