"""Generated from the program's IDL; change the program and regenerate, never this file."""

from __future__ import annotations

from enum import IntEnum


class ProposalState(IntEnum):
    """ProposalState."""

    VOTING = 0
    QUEUED = 1
    EXECUTED = 2
    DEFEATED = 3
    CANCELLED = 4
    VETOED = 5
