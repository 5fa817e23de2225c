"""Programs of a tenant on this computer itself, for `up --shell`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

TAKE_TERMINAL: Final = 'exec 0<>"$0" 1>&0 2>&0; exec "$@"'
"""Opened by the leader of a session that has none, a terminal becomes the session's."""


class OwnShell:
    """No sandbox: a tenant's programs may do what this user may."""

    note: Final = "this computer itself, with all your files"

    def __init__(self, workspace: Path) -> None:
        self._workspace = workspace

    async def start(self) -> None:
        """Nothing has to be made."""

    async def close(self) -> None:
        """Nothing has to be ended."""

    def command(self, words: Sequence[str], environment: Mapping[str, str]) -> list[str]:
        """The command line that runs a program in the workspace."""
        path = f"{environment.get('PATH', '')}:{os.environ.get('PATH', '')}"
        given = [f"{name}={value}" for name, value in {**environment, "PATH": path}.items()]
        enter = ("/bin/sh", "-c", 'cd "$0" && exec env "$@"', str(self._workspace))
        return [*enter, *given, f"HOME={self._workspace}", *words]

    def terminal(self, words: Sequence[str], environment: Mapping[str, str], tty: str) -> list[str]:
        """The same with a terminal."""
        return ["/bin/sh", "-c", TAKE_TERMINAL, tty, *self.command(words, environment)]
