"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RentalSettled(Event):
    """`paid` went to the host now, for the seconds up to `settled`. `heard` if that counts as its heartbeat. `paid_usd`
    is the micro-USD that the renter themselves has paid so far.
    """

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("aa33b4f7ba7aa83b")
    LAYOUT: ClassVar[Fields] = Fields(
        rental=layouts.PUBKEY,
        listing=layouts.PUBKEY,
        paid=layouts.U64,
        paid_total=layouts.U64,
        settled=layouts.U32,
        at=layouts.I64,
        seq=layouts.U32,
        vault_seq=layouts.U64,
        listing_seq=layouts.U64,
        heard=layouts.BOOL,
        paid_usd=layouts.U64,
    )

    rental: Pubkey
    listing: Pubkey
    paid: int
    paid_total: int
    settled: int
    at: int
    seq: int
    vault_seq: int
    listing_seq: int
    heard: bool
    paid_usd: int
