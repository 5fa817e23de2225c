"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class SubsidyFunded(Event):
    """SubsidyFunded."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("1d21a2168cd4d78c")
    LAYOUT: ClassVar[Fields] = Fields(
        vault=layouts.PUBKEY,
        mint=layouts.PUBKEY,
        by=layouts.PUBKEY,
        amount=layouts.U64,
        old=layouts.U64,
        new=layouts.U64,
        at=layouts.I64,
        vault_seq=layouts.U64,
    )

    vault: Pubkey
    mint: Pubkey
    by: Pubkey
    amount: int
    old: int
    new: int
    at: int
    vault_seq: int
