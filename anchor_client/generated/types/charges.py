"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Struct


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Charges(Struct):
    """Charges of a host on top of the price, optional each. Applies to new meters only."""

    LAYOUT: ClassVar[Fields] = Fields(bandwidth_usd=layouts.U32, bandwidth_free_gb=layouts.U32, storage_usd=layouts.U32)

    bandwidth_usd: int
    """Micro-USD per GB of outbound traffic above the allowance; zero charges nothing."""
    bandwidth_free_gb: int
    """GB of outbound traffic that the price includes, per rental."""
    storage_usd: int
    """Micro-USD per GB and hour of persistent storage; zero charges nothing."""
