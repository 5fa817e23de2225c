"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class UsageAccepted(Event):
    """`amount`, pending or disputed before, is charged for good."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("641f26d837c6d389")
    LAYOUT: ClassVar[Fields] = Fields(
        meter=layouts.PUBKEY,
        rental=layouts.PUBKEY,
        amount=layouts.U64,
        accepted=layouts.U64,
        at=layouts.I64,
        seq=layouts.U64,
    )

    meter: Pubkey
    rental: Pubkey
    amount: int
    accepted: int
    at: int
    seq: int
