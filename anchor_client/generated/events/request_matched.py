"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class RequestMatched(Event):
    """`held = deposit + refunded`, where `deposit` is the rental's, whose opening follows with the rental's other
    facts.
    """

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("0591f49819ba9949")
    LAYOUT: ClassVar[Fields] = Fields(
        request=layouts.PUBKEY,
        rental=layouts.PUBKEY,
        listing=layouts.PUBKEY,
        held=layouts.U64,
        refunded=layouts.U64,
        matched_by=layouts.PUBKEY,
        tip_lamports=layouts.U32,
        at=layouts.I64,
        seq=layouts.U32,
        vault_seq=layouts.U64,
    )

    request: Pubkey
    rental: Pubkey
    listing: Pubkey
    held: int
    """Deposit of the request; the rental's is that without `refunded`."""
    refunded: int
    matched_by: Pubkey
    tip_lamports: int
    """Theirs once the rental starts."""
    at: int
    seq: int
    vault_seq: int
