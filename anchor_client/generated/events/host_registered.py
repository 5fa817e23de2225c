"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class HostRegistered(Event):
    """HostRegistered."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("df96679ea1f2d5c8")
    LAYOUT: ClassVar[Fields] = Fields(
        host=layouts.PUBKEY, authority=layouts.PUBKEY, seal_key=layouts.byte_array(32), at=layouts.I64, seq=layouts.U64
    )

    host: Pubkey
    authority: Pubkey
    seal_key: bytes
    at: int
    seq: int
