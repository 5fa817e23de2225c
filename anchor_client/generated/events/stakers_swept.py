"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class StakersSwept(Event):
    """The stakers' share of a vault's fees came to their rewards."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("2568003f3561fea1")
    LAYOUT: ClassVar[Fields] = Fields(
        vault=layouts.PUBKEY,
        pool=layouts.PUBKEY,
        stream=layouts.U8,
        mint=layouts.PUBKEY,
        by=layouts.PUBKEY,
        amount=layouts.U64,
        queued=layouts.U64,
        funded=layouts.U64,
        at=layouts.I64,
        vault_seq=layouts.U64,
        pool_seq=layouts.U64,
    )

    vault: Pubkey
    pool: Pubkey
    stream: int
    mint: Pubkey
    by: Pubkey
    amount: int
    queued: int
    funded: int
    at: int
    vault_seq: int
    pool_seq: int
