"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class VaultAdded(Event):
    """VaultAdded."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("8ead6c82faa8fb96")
    LAYOUT: ClassVar[Fields] = Fields(
        vault=layouts.PUBKEY,
        mint=layouts.PUBKEY,
        shard=layouts.U8,
        token_account=layouts.PUBKEY,
        at=layouts.I64,
        seq=layouts.U64,
    )

    vault: Pubkey
    mint: Pubkey
    shard: int
    token_account: Pubkey
    at: int
    seq: int
