"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PayoutClaimed(Event):
    """The host has been paid what the listing owed it; `authority` is the host's wallet."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("c8276970743f3a95")
    LAYOUT: ClassVar[Fields] = Fields(
        listing=layouts.PUBKEY,
        authority=layouts.PUBKEY,
        vault=layouts.PUBKEY,
        mint=layouts.PUBKEY,
        amount=layouts.U64,
        at=layouts.I64,
        seq=layouts.U64,
        vault_seq=layouts.U64,
    )

    listing: Pubkey
    authority: Pubkey
    vault: Pubkey
    mint: Pubkey
    amount: int
    at: int
    seq: int
    vault_seq: int
