"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class UsageDisputed(Event):
    """`amount` is frozen now; the three amounts are what stands after it."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("6d4a987c87e8402e")
    LAYOUT: ClassVar[Fields] = Fields(
        meter=layouts.PUBKEY,
        rental=layouts.PUBKEY,
        amount=layouts.U64,
        accepted=layouts.U64,
        pending=layouts.U64,
        disputed=layouts.U64,
        resolve_by=layouts.I64,
        at=layouts.I64,
        seq=layouts.U64,
    )

    meter: Pubkey
    rental: Pubkey
    amount: int
    accepted: int
    pending: int
    disputed: int
    resolve_by: int
    """Last moment before anyone may drop it."""
    at: int
    seq: int
