"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class MeterClosed(Event):
    """The whole split: `cap = paid + refunded + kept + host_owed + renter_owed`, where `paid_now` of `paid` left in
    this transaction. What is owed could not be paid, and the meter stays for it; without it the meter is gone.
    """

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("a21ba10bea235bb9")
    LAYOUT: ClassVar[Fields] = Fields(
        meter=layouts.PUBKEY,
        rental=layouts.PUBKEY,
        renter=layouts.PUBKEY,
        listing=layouts.PUBKEY,
        mint=layouts.PUBKEY,
        cap=layouts.U64,
        paid=layouts.U64,
        paid_now=layouts.U64,
        refunded=layouts.U64,
        bandwidth_mb=layouts.U64,
        storage_gb_hours=layouts.U64,
        at=layouts.I64,
        seq=layouts.U64,
        vault_seq=layouts.U64,
        host_owed=layouts.U64,
        renter_owed=layouts.U64,
        kept=layouts.U64,
    )

    meter: Pubkey
    rental: Pubkey
    renter: Pubkey
    listing: Pubkey
    mint: Pubkey
    cap: int
    paid: int
    paid_now: int
    refunded: int
    bandwidth_mb: int
    storage_gb_hours: int
    at: int
    seq: int
    vault_seq: int
    host_owed: int
    renter_owed: int
    kept: int
    """Lost by the host, whose account could not take it for a whole window: a fee."""
