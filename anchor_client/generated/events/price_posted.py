"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PricePosted(Event):
    """Prices are pico-USD per whole token."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("a60df9c3fa91d5e5")
    LAYOUT: ClassVar[Fields] = Fields(
        payment_mint=layouts.PUBKEY,
        mint=layouts.PUBKEY,
        old=layouts.U64,
        new=layouts.U64,
        at=layouts.I64,
        seq=layouts.U64,
    )

    payment_mint: Pubkey
    mint: Pubkey
    old: int
    new: int
    at: int
    seq: int
