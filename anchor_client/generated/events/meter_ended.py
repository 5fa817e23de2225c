"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class MeterEnded(Event):
    """The rental has ended, in this transaction."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("beefcef5d8b1b7b9")
    LAYOUT: ClassVar[Fields] = Fields(
        meter=layouts.PUBKEY,
        rental=layouts.PUBKEY,
        report_by=layouts.I64,
        at=layouts.I64,
        seq=layouts.U64,
        paid_until=layouts.I64,
    )

    meter: Pubkey
    rental: Pubkey
    report_by: int
    """Last moment at which the host may report."""
    at: int
    seq: int
    paid_until: int
    """Last moment at which storage is charged, unless the rental ended before; zero if it never started."""
