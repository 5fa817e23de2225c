"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class MfpLocked(Event):
    """Tokens that a host has locked after the event."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("b6110e500f35797c")
    LAYOUT: ClassVar[Fields] = Fields(
        host=layouts.PUBKEY,
        authority=layouts.PUBKEY,
        amount=layouts.U64,
        locked=layouts.U64,
        total=layouts.U64,
        at=layouts.I64,
        host_seq=layouts.U64,
        catalog_seq=layouts.U64,
    )

    host: Pubkey
    authority: Pubkey
    amount: int
    locked: int
    total: int
    at: int
    host_seq: int
    catalog_seq: int
