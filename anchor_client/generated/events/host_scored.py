"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class HostScored(Event):
    """A host's new score, in basis points, and all that it was made of."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("2dc1b32dbd6ff973")
    LAYOUT: ClassVar[Fields] = Fields(
        host=layouts.PUBKEY,
        old=layouts.U16,
        new=layouts.U16,
        round=layouts.U32,
        tracked_seconds=layouts.U64,
        up_seconds=layouts.U64,
        rating_sum=layouts.U64,
        rating_weight=layouts.U64,
        completed=layouts.U32,
        failed=layouts.U32,
        paid_usd=layouts.U64,
        prior_usd=layouts.U64,
        not_as_listed_usd=layouts.U64,
        at=layouts.I64,
        seq=layouts.U64,
    )

    host: Pubkey
    old: int
    new: int
    round: int
    tracked_seconds: int
    up_seconds: int
    rating_sum: int
    rating_weight: int
    completed: int
    failed: int
    paid_usd: int
    """Micro-USD that renters themselves have paid, and that the half of each part weighs."""
    prior_usd: int
    not_as_listed_usd: int
    at: int
    seq: int
