"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PoolInitialized(Event):
    """PoolInitialized."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("6476ad570cc6fee5")
    LAYOUT: ClassVar[Fields] = Fields(
        pool=layouts.PUBKEY,
        mint=layouts.PUBKEY,
        token_account=layouts.PUBKEY,
        epoch_ends_at=layouts.I64,
        at=layouts.I64,
        pool_seq=layouts.U64,
    )

    pool: Pubkey
    mint: Pubkey
    token_account: Pubkey
    epoch_ends_at: int
    at: int
    pool_seq: int
