"""The end of each tenant's paid time, enforced by a second process: no tenant outlives its paid time because the agent
is dead.

The agent extends deadlines with rentals, and removes them when it reclaims machines. The watchdog stops a container
whose deadline has passed; its files stay until an agent is back, which wipes them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from solders.pubkey import Pubkey

from anchor_client.service.lock_file import locked
from anchor_client.service.private_files import replace_file

DIRECTORY: Final = "deadlines"
LOCK: Final = ".lock"
"""Held by the watchdog."""
LOG: Final = "watchdog.log"
WATCHDOG: Final = "host_agent.watchdog"


class AlreadyWatched(Exception):
    """Another watchdog owns the directory."""


class Deadlines:
    """Deadlines by listing, in a directory of the agent's state; unix seconds of this machine's clock."""

    def __init__(self, state_dir: Path, engine_url: str | None = None) -> None:
        self.directory = state_dir / DIRECTORY
        self._engine_url = engine_url
        self._log = state_dir / LOG
        self._watchdog: int | None = None
        """Its process."""

    def put(self, listing: Pubkey, at: float) -> None:
        """Sets a listing's deadline, and starts the watchdog."""
        replace_file(self.file(listing), f"{at:.0f}\n".encode())
        self._have_watched()

    def drop(self, listing: Pubkey) -> None:
        """Removes a listing's deadline."""
        self.file(listing).unlink(missing_ok=True)

    def file(self, listing: Pubkey) -> Path:
        """The file with a listing's deadline; the tenant's gateway reads it too."""
        return self.directory / str(listing)

    def all(self) -> Mapping[Pubkey, float]:
        """Every deadline."""
        found = {}
        for file in self.directory.iterdir():
            if not file.suffix and file.name != LOCK:
                found[Pubkey.from_string(file.name)] = float(file.read_text())
        return found

    def _have_watched(self) -> None:
        """Starts a watchdog if none runs, in a separate session, so that the agent's end does not end it."""
        if self._watchdog is not None and _runs(self._watchdog):
            return
        try:
            with locked(self.directory / LOCK, AlreadyWatched()):
                pass
        except AlreadyWatched:
            return
        environment = {**os.environ, **({} if self._engine_url is None else {"DOCKER_HOST": self._engine_url})}
        self._watchdog = os.posix_spawn(
            sys.executable,
            [sys.executable, "-P", "-m", WATCHDOG, str(self.directory.parent)],
            environment,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, str(self._log), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
                (os.POSIX_SPAWN_DUP2, 1, 2),
            ],
            setsid=True,
        )


def _runs(child: int) -> bool:
    """True while a child of this process runs; reaps an ended one."""
    try:
        return os.waitpid(child, os.WNOHANG)[0] == 0
    except ChildProcessError:
        return False
