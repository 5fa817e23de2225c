"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from enum import IntEnum


class RentalIssue(IntEnum):
    """Fault that a renter finds in a machine."""

    UNREACHABLE = 0
    NOT_AS_LISTED = 1
    SLOW = 2
    NETWORK = 3
    OTHER = 4
