"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RewardsFunded(Event):
    """`queued` and `funded` are the stream's after the event."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("54e9f5cbe493a55c")
    LAYOUT: ClassVar[Fields] = Fields(
        pool=layouts.PUBKEY,
        stream=layouts.U8,
        mint=layouts.PUBKEY,
        by=layouts.PUBKEY,
        amount=layouts.U64,
        queued=layouts.U64,
        funded=layouts.U64,
        at=layouts.I64,
        pool_seq=layouts.U64,
    )

    pool: Pubkey
    stream: int
    mint: Pubkey
    by: Pubkey
    amount: int
    queued: int
    funded: int
    at: int
    pool_seq: int
