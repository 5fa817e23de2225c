"""Log file of a process that outlives the agent, and with it the agent's terminal and pipes.

Nobody can fill the disk with it.
"""

from __future__ import annotations

import io
import logging
import os
import sys
from pathlib import Path
from typing import Final

from anchor_client.service.log_format import LogFormat
from anchor_client.service.logs import configure_service_logs

MOST_BYTES: Final = 2**20
"""Size at which a file is put aside, in the place of the one before it."""
FLAGS: Final = os.O_WRONLY | os.O_CREAT | os.O_APPEND
OUTPUTS: Final = (1, 2)


class LogFile(io.TextIOBase):
    """Standard output and error of the process, in one file. A full disk loses lines, and disturbs nobody."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._open()

    def write(self, text: str) -> int:
        """Appends, and begins another file when this one is full."""
        try:
            os.write(2, text.encode(errors="replace"))
            if os.fstat(2).st_size > MOST_BYTES:
                self._path.replace(self._path.with_suffix(".old"))
                self._open()
        except OSError:
            return 0
        return len(text)

    def _open(self) -> None:
        descriptor = os.open(self._path, FLAGS, 0o600)
        for output in OUTPUTS:
            os.dup2(descriptor, output)
        os.close(descriptor)


def log_to(path: Path) -> None:
    """Sends everything that the process prints to a file. OSError."""
    sys.stdout = sys.stderr = LogFile(path)
    configure_service_logs(logging.INFO, LogFormat.JSON)
    # At INFO they tell each step of each connection of a stranger.
    for library in ("asyncssh", "websockets"):
        logging.getLogger(library).setLevel(logging.WARNING)
