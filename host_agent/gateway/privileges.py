"""Rights that a gateway gives up: strangers talk to it, and it needs none of the agent's."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path
from typing import Final

SET_NO_NEW_PRIVILEGES: Final = 38
AMBIENT: Final = 47
CLEAR_ALL: Final = 4
"""Of prctl(2)."""
CAPABILITIES_VERSION: Final = 0x20080522
WORDS: Final = 6
OOM_SCORE: Final = Path("/proc/self/oom_score_adj")


def give_up_privileges() -> None:
    """Drops all capabilities, unless the user is root, and the agent's protection from a lack of memory. OSError."""
    libc = ctypes.CDLL(None, use_errno=True)
    _require(libc.prctl(SET_NO_NEW_PRIVILEGES, 1, 0, 0, 0))
    if int(OOM_SCORE.read_text()) < 0:
        OOM_SCORE.write_text("0")
    if os.geteuid() != 0:
        _require(libc.prctl(AMBIENT, CLEAR_ALL, 0, 0, 0))
        header = (ctypes.c_uint32 * 2)(CAPABILITIES_VERSION, 0)
        _require(libc.capset(header, (ctypes.c_uint32 * WORDS)()))


def _require(status: int) -> None:
    if status:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
