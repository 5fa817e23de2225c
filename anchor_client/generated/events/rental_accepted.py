"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RentalAccepted(Event):
    """`connection` is sealed to the X25519 key in the renter's order."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("48ed0f52b1b8f4c9")
    LAYOUT: ClassVar[Fields] = Fields(
        rental=layouts.PUBKEY, listing=layouts.PUBKEY, connection=layouts.BYTES, at=layouts.I64, seq=layouts.U32
    )

    rental: Pubkey
    listing: Pubkey
    connection: bytes
    at: int
    seq: int
