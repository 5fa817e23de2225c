"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RentalExtended(Event):
    """RentalExtended."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("992054281e23f64f")
    LAYOUT: ClassVar[Fields] = Fields(
        rental=layouts.PUBKEY,
        old_duration=layouts.U32,
        new_duration=layouts.U32,
        deposit_added=layouts.U64,
        subsidy_added=layouts.U64,
        paid_until=layouts.I64,
        at=layouts.I64,
        seq=layouts.U32,
        vault_seq=layouts.U64,
        host=layouts.PUBKEY,
        host_booked=layouts.U64,
        host_seq=layouts.U64,
    )

    rental: Pubkey
    old_duration: int
    new_duration: int
    deposit_added: int
    subsidy_added: int
    paid_until: int
    at: int
    seq: int
    vault_seq: int
    host: Pubkey
    host_booked: int
    """Drawn of the day's subsidy budget by the host's machines, with it; both zero without a subsidy."""
    host_seq: int
