"""A PostgreSQL server that a test stops and starts."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from tests.indexer.postgres import Files, initialized, require


class OwnPostgres:
    """The server; it answers at `url` while it runs."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self.url = files.url

    def start(self) -> None:
        """Starts it, and waits until it takes connections."""
        options = " ".join((*self._files.socket_only, "-c", "fsync=off"))
        self._control("start", "-l", str(self._files.home / "log"), "-o", options)

    def kill(self) -> None:
        """Ends it in the middle of whatever it does: what it has committed it recovers from its log."""
        self._control("stop", "--mode=immediate")

    def ask(self, statement: str) -> str:
        """Result of a statement on what was committed, while nobody is served."""
        command = [*self._files.become, str(self._files.binaries / "postgres"), "--single", "-D"]
        command += [str(self._files.home / "data"), "postgres"]
        ended = subprocess.run(
            command, input=statement, cwd=self._files.home, capture_output=True, text=True, check=True
        )
        return ended.stdout

    def _control(self, act: str, *arguments: str) -> None:
        command = self._files.command("pg_ctl", act, "--wait", "--silent", *arguments)
        subprocess.run(command, check=True, cwd=self._files.home, stdout=subprocess.DEVNULL)


@contextmanager
def own_postgres() -> Iterator[OwnPostgres]:
    """One of the test's own."""
    with initialized(require()) as files:
        server = OwnPostgres(files)
        server.start()
        try:
            yield server
        finally:
            server.kill()
