"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from enum import IntEnum


class RentalKind(IntEnum):
    """RentalKind."""

    ON_DEMAND = 0
    SPOT = 1
    RESERVED = 2
