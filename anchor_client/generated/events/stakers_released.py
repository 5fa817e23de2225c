"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class StakersReleased(Event):
    """The stakers' share of a vault's fees went to the treasury, since the pool has no stream left for its mint."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("dc84f969b6a85a80")
    LAYOUT: ClassVar[Fields] = Fields(
        vault=layouts.PUBKEY,
        mint=layouts.PUBKEY,
        by=layouts.PUBKEY,
        amount=layouts.U64,
        at=layouts.I64,
        vault_seq=layouts.U64,
    )

    vault: Pubkey
    mint: Pubkey
    by: Pubkey
    amount: int
    at: int
    vault_seq: int
