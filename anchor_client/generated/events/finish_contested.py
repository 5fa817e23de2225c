"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class FinishContested(Event):
    """The renter has contested a finished rental: what was held back is a fee. `weight` is what that weighs against the
    host, as a report of theirs would; it and `host_seq` are zero where it has none. The rental's account is gone.
    """

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("23cb1e6af3facea2")
    LAYOUT: ClassVar[Fields] = Fields(
        rental=layouts.PUBKEY,
        renter=layouts.PUBKEY,
        listing=layouts.PUBKEY,
        mint=layouts.PUBKEY,
        amount=layouts.U64,
        at=layouts.I64,
        seq=layouts.U32,
        listing_seq=layouts.U64,
        vault_seq=layouts.U64,
        host=layouts.PUBKEY,
        weight=layouts.U64,
        host_seq=layouts.U64,
    )

    rental: Pubkey
    renter: Pubkey
    listing: Pubkey
    mint: Pubkey
    amount: int
    at: int
    seq: int
    listing_seq: int
    vault_seq: int
    host: Pubkey
    weight: int
    host_seq: int
