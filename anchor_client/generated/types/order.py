"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Struct

from .rental_kind import RentalKind


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class Order(Struct):
    """Terms that a renter asks for. `max_deposit` is the most the order may cost, in base units."""

    LAYOUT: ClassVar[Fields] = Fields(
        kind=layouts.unit_enum(RentalKind),
        duration=layouts.U32,
        max_deposit=layouts.U64,
        order_hash=layouts.byte_array(32),
        bid_usd=layouts.U64,
        spec_version=layouts.U32,
        may_finish=layouts.BOOL,
    )

    kind: RentalKind
    duration: int
    max_deposit: int
    order_hash: bytes
    """SHA-256 of the order document."""
    bid_usd: int
    """Micro-USD per machine-hour that a spot order offers; zero for the other kinds."""
    spec_version: int
    """The listing's `spec_version` that the renter has seen."""
    may_finish: bool
    """Agreement that the host ends the rental once its command has ended; refused for reserved orders."""
