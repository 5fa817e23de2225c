"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Struct


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class WarmUp(Struct):
    """Stake that became active, in base units, and when."""

    LAYOUT: ClassVar[Fields] = Fields(amount=layouts.U64, at=layouts.I64)

    amount: int
    at: int
