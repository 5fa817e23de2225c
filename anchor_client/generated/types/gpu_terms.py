"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Struct


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class GpuTerms(Struct):
    """Entry of the catalog: one GPU of a model."""

    LAYOUT: ClassVar[Fields] = Fields(points=layouts.U16, reference_usd=layouts.U32)

    points: int
    reference_usd: int
    """Micro-USD per GPU-hour up to which prices are subsidised; zero subsidises none."""
