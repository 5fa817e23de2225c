"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from enum import IntEnum


class OracleKind(IntEnum):
    """Source of a mint's price."""

    PINNED = 0
    POSTED = 1
    PYTH = 2
    PYTH_UPGRADED = 3
