"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RewardMintAdded(Event):
    """RewardMintAdded."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("70cbd2fdd448bb71")
    LAYOUT: ClassVar[Fields] = Fields(
        pool=layouts.PUBKEY,
        stream=layouts.U8,
        mint=layouts.PUBKEY,
        token_account=layouts.PUBKEY,
        at=layouts.I64,
        pool_seq=layouts.U64,
    )

    pool: Pubkey
    stream: int
    mint: Pubkey
    token_account: Pubkey
    at: int
    pool_seq: int
