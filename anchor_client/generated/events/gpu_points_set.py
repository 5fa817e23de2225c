"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Event


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class GpuPointsSet(Event):
    """Points of one GPU of a model."""

    DISCRIMINATOR: ClassVar[bytes] = bytes.fromhex("83d2e7940af6b024")
    LAYOUT: ClassVar[Fields] = Fields(
        catalog=layouts.PUBKEY, model=layouts.U16, old=layouts.U16, new=layouts.U16, at=layouts.I64, seq=layouts.U64
    )

    catalog: Pubkey
    model: int
    old: int
    new: int
    at: int
    seq: int
