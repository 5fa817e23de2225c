"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event

from ..types.request_order import RequestOrder


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RequestOpened(Event):
    """RequestOpened."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("69d456616453c352")
    LAYOUT: ClassVar[Fields] = Fields(
        request=layouts.PUBKEY,
        renter=layouts.PUBKEY,
        mint=layouts.PUBKEY,
        nonce=layouts.U64,
        shard=layouts.U8,
        order=layouts.struct(RequestOrder),
        tip_lamports=layouts.U32,
        at=layouts.I64,
        seq=layouts.U32,
        vault_seq=layouts.U64,
    )

    request: Pubkey
    renter: Pubkey
    mint: Pubkey
    nonce: int
    shard: int
    order: RequestOrder
    tip_lamports: int
    """Carried twice: for whoever matches or ends the request, and for whoever ends its rental."""
    at: int
    seq: int
    vault_seq: int
