"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class OperatorSet(Event):
    """Another key serves the machine."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("bbf2a4ddd0f6b4b2")
    LAYOUT: ClassVar[Fields] = Fields(
        listing=layouts.PUBKEY,
        host=layouts.PUBKEY,
        old=layouts.PUBKEY,
        new=layouts.PUBKEY,
        at=layouts.I64,
        seq=layouts.U64,
    )

    listing: Pubkey
    host: Pubkey
    old: Pubkey
    new: Pubkey
    at: int
    seq: int
