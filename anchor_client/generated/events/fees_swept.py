"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class FeesSwept(Event):
    """FeesSwept."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("60da73884aaacaac")
    LAYOUT: ClassVar[Fields] = Fields(
        vault=layouts.PUBKEY,
        mint=layouts.PUBKEY,
        burned=layouts.U64,
        treasury_share=layouts.U64,
        treasury=layouts.U64,
        stakers=layouts.U64,
        by=layouts.PUBKEY,
        at=layouts.I64,
        vault_seq=layouts.U64,
    )

    vault: Pubkey
    mint: Pubkey
    burned: int
    treasury_share: int
    """The treasury's part of these fees."""
    treasury: int
    """Payment of the treasury: its part and all that had waited, or nothing where it could take nothing."""
    stakers: int
    by: Pubkey
    at: int
    vault_seq: int
