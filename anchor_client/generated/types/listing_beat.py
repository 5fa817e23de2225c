"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Struct


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ListingBeat(Struct):
    """Padded to a multiple of eight bytes, so that a list of them is encoded in one copy."""

    LAYOUT: ClassVar[Fields] = Fields(
        tracked_seconds=layouts.U64, up_seconds=layouts.U64, seq=layouts.U64, id=layouts.U32, reserved=layouts.U32
    )

    tracked_seconds: int
    up_seconds: int
    seq: int
    id: int
    reserved: int
