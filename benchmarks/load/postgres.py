"""A PostgreSQL server for the length of a benchmark, from the machine's packages."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from contextlib import contextmanager

from tests.indexer.postgres import find_binaries, initialized


class NoPostgres(RuntimeError):
    """No PostgreSQL is installed."""


@contextmanager
def postgres() -> Iterator[str]:
    """The URL of an empty database on a Unix socket. NoPostgres."""
    binaries = find_binaries()
    if binaries is None:
        raise NoPostgres("install postgresql")
    with initialized(binaries) as files:

        def control(*arguments: str) -> None:
            command = files.command("pg_ctl", *arguments, "--wait", "--silent")
            subprocess.run(command, check=True, cwd=files.home, stdout=subprocess.DEVNULL)

        control("start", "-l", str(files.home / "log"), "-o", " ".join(files.socket_only))
        try:
            yield files.url
        finally:
            control("stop", "--mode=fast")
