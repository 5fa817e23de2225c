"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RequestExpired(Event):
    """RequestExpired."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("be3df7df596bf5fc")
    LAYOUT: ClassVar[Fields] = Fields(
        request=layouts.PUBKEY,
        renter=layouts.PUBKEY,
        mint=layouts.PUBKEY,
        refunded=layouts.U64,
        expired_by=layouts.PUBKEY,
        tip_lamports=layouts.U32,
        at=layouts.I64,
        seq=layouts.U32,
        vault_seq=layouts.U64,
    )

    request: Pubkey
    renter: Pubkey
    mint: Pubkey
    refunded: int
    expired_by: Pubkey
    tip_lamports: int
    at: int
    seq: int
    vault_seq: int
