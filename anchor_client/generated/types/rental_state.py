"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from enum import IntEnum


class RentalState(IntEnum):
    """RentalState."""

    QUEUED = 0
    PROVISIONING = 1
    RUNNING = 2
    ENDED = 3
    FINISHED = 4
