"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class MeterSettled(Event):
    """`paid` went to the host now."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("ed37d14251f2f2ed")
    LAYOUT: ClassVar[Fields] = Fields(
        meter=layouts.PUBKEY,
        rental=layouts.PUBKEY,
        paid=layouts.U64,
        paid_total=layouts.U64,
        pending=layouts.U64,
        at=layouts.I64,
        seq=layouts.U64,
        vault_seq=layouts.U64,
    )

    meter: Pubkey
    rental: Pubkey
    paid: int
    paid_total: int
    pending: int
    at: int
    seq: int
    vault_seq: int
