"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class HoldbackReleased(Event):
    """The renter let the time to contest a finished rental pass: its host has been paid the `amount` that was held
    back, but for what is `kept`. Its account is gone.
    """

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("fcf29f8a249645f1")
    LAYOUT: ClassVar[Fields] = Fields(
        rental=layouts.PUBKEY,
        listing=layouts.PUBKEY,
        mint=layouts.PUBKEY,
        amount=layouts.U64,
        kept=layouts.U64,
        completed=layouts.BOOL,
        released_by=layouts.PUBKEY,
        at=layouts.I64,
        seq=layouts.U32,
        listing_seq=layouts.U64,
        vault_seq=layouts.U64,
    )

    rental: Pubkey
    listing: Pubkey
    mint: Pubkey
    amount: int
    kept: int
    """Of it, what the host lost since their account could not take it for a whole window: a fee."""
    completed: bool
    """True if the listing counts it as a rental that ended well."""
    released_by: Pubkey
    at: int
    seq: int
    listing_seq: int
    vault_seq: int
