"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Struct


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class ListingCount(Struct):
    """Counts that one listing moved, and the last score that it was counted for. Padded to a multiple of eight bytes."""

    LAYOUT: ClassVar[Fields] = Fields(
        rating_sum=layouts.U64,
        rating_weight=layouts.U64,
        paid_usd=layouts.U64,
        seq=layouts.U64,
        id=layouts.U32,
        completed=layouts.U32,
        failed=layouts.U32,
        score_round=layouts.U32,
        refused=layouts.U32,
        reserved=layouts.U32,
    )

    rating_sum: int
    rating_weight: int
    paid_usd: int
    seq: int
    id: int
    completed: int
    failed: int
    score_round: int
    refused: int
    reserved: int
