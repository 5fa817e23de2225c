"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ChallengerWithdrawn(Event):
    """The order that waited left, and nobody took its place: the holder keeps the machine."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("022960fd1e4cc8e8")
    LAYOUT: ClassVar[Fields] = Fields(
        listing=layouts.PUBKEY,
        challenger=layouts.PUBKEY,
        holder=layouts.PUBKEY,
        challenge_from=layouts.I64,
        at=layouts.I64,
        listing_seq=layouts.U64,
        mint=layouts.PUBKEY,
        compensation=layouts.U64,
    )

    listing: Pubkey
    challenger: Pubkey
    holder: Pubkey
    """Holds the machine, or held it until the host ended it meanwhile; else zero."""
    challenge_from: int
    """The next order may wait from this moment on."""
    at: int
    listing_seq: int
    mint: Pubkey
    compensation: int
    """Paid to the holder's renter out of the challenger's deposit, in `mint`."""
