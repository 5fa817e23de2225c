"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RefundClaimed(Event):
    """The renter of an ended rental has been paid what it owed them; its account is gone."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("8840f26304f4d082")
    LAYOUT: ClassVar[Fields] = Fields(
        rental=layouts.PUBKEY,
        renter=layouts.PUBKEY,
        mint=layouts.PUBKEY,
        amount=layouts.U64,
        at=layouts.I64,
        seq=layouts.U32,
        vault_seq=layouts.U64,
    )

    rental: Pubkey
    renter: Pubkey
    mint: Pubkey
    amount: int
    at: int
    seq: int
    vault_seq: int
