"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Struct


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class StakeState(Struct):
    """A stake account after the event; `owed` is what it may claim of each stream."""

    LAYOUT: ClassVar[Fields] = Fields(
        active=layouts.U64,
        warming=layouts.U64,
        cooling=layouts.U64,
        warm_at=layouts.I64,
        cool_at=layouts.I64,
        owed=layouts.array(4, layouts.U64),
    )

    active: int
    warming: int
    cooling: int
    warm_at: int
    cool_at: int
    owed: tuple[int, ...]
