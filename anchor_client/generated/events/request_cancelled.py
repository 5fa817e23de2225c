"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RequestCancelled(Event):
    """RequestCancelled."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("5b38c59c579dd643")
    LAYOUT: ClassVar[Fields] = Fields(
        request=layouts.PUBKEY,
        renter=layouts.PUBKEY,
        mint=layouts.PUBKEY,
        refunded=layouts.U64,
        at=layouts.I64,
        seq=layouts.U32,
        vault_seq=layouts.U64,
    )

    request: Pubkey
    renter: Pubkey
    mint: Pubkey
    refunded: int
    at: int
    seq: int
    vault_seq: int
