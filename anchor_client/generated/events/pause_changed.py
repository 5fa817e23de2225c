"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event

from ..types.pause_area import PauseArea


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class PauseChanged(Event):
    """`until` is when the guardian's pause expires; zero where the authority has paused, or nobody."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("eebcd54e86d1b2da")
    LAYOUT: ClassVar[Fields] = Fields(
        market=layouts.PUBKEY,
        area=layouts.unit_enum(PauseArea),
        old=layouts.BOOL,
        new=layouts.BOOL,
        until=layouts.I64,
        by=layouts.PUBKEY,
        at=layouts.I64,
        seq=layouts.U64,
    )

    market: Pubkey
    area: PauseArea
    old: bool
    new: bool
    until: int
    by: Pubkey
    at: int
    seq: int
