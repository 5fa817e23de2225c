"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class UsageReported(Event):
    """Totals since the meter opened; `added` became pending now, and the three amounts are what stands after it."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("7eb8f572f2360e63")
    LAYOUT: ClassVar[Fields] = Fields(
        meter=layouts.PUBKEY,
        rental=layouts.PUBKEY,
        bandwidth_mb=layouts.U64,
        storage_gb_hours=layouts.U64,
        added=layouts.U64,
        accepted=layouts.U64,
        pending=layouts.U64,
        disputed=layouts.U64,
        dispute_by=layouts.I64,
        at=layouts.I64,
        seq=layouts.U64,
        paid_until=layouts.I64,
    )

    meter: Pubkey
    rental: Pubkey
    bandwidth_mb: int
    storage_gb_hours: int
    added: int
    accepted: int
    pending: int
    disputed: int
    dispute_by: int
    """Last moment at which what is pending may be disputed."""
    at: int
    seq: int
    paid_until: int
    """Last moment at which storage is charged."""
