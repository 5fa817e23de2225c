"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class HostUpdated(Event):
    """HostUpdated."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("ac79cdf4f432e1b1")
    LAYOUT: ClassVar[Fields] = Fields(
        host=layouts.PUBKEY,
        old_seal_key=layouts.byte_array(32),
        new_seal_key=layouts.byte_array(32),
        at=layouts.I64,
        seq=layouts.U64,
    )

    host: Pubkey
    old_seal_key: bytes
    new_seal_key: bytes
    at: int
    seq: int
