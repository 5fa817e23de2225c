"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event

from ..types.silence import Silence


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ListingMarked(Event):
    """A listing was marked: its host has until `answer_by` and `answer_slot`, both, to be heard from. Or, with
    `silence` proven, it was not heard from.
    """

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("7dc417690ce8cee4")
    LAYOUT: ClassVar[Fields] = Fields(
        listing=layouts.PUBKEY,
        host=layouts.PUBKEY,
        silence=layouts.unit_enum(Silence),
        last_heartbeat_at=layouts.I64,
        answer_by=layouts.I64,
        answer_slot=layouts.U64,
        at=layouts.I64,
        seq=layouts.U64,
    )

    listing: Pubkey
    host: Pubkey
    silence: Silence
    last_heartbeat_at: int
    answer_by: int
    answer_slot: int
    at: int
    seq: int
