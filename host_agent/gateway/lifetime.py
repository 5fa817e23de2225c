"""Ends of a gateway that no agent has to ask for."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import Final

LOOK_SECONDS: Final = 5.0
"""Interval between looks at the deadline, which the agent may move, and at the container."""
UNTOLD_SECONDS: Final = 600.0
"""Time for the agent to tell a deadline at all."""


class PaidTime:
    """The end of a tenancy's paid time, in the file that the watchdog reads too."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        self._until = time.time() + UNTOLD_SECONDS

    def is_over(self) -> bool:
        """True once the last deadline that was told has passed. The watchdog removes a file whose tenant it stopped."""
        if self._file is None:
            return False
        with suppress(OSError, ValueError):
            self._until = float(self._file.read_text())
        return time.time() >= self._until
