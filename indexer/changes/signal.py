"""Signal of a commit to SQLite: a named pipe for each process that waits, in a folder beside the database.

PostgreSQL has NOTIFY for this, SQLite nothing.
"""

from __future__ import annotations

import contextlib
import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from sqlalchemy import Engine

FOLDER = "{database}-waiting"
PIPE_BYTES = 65_536
GONE = {errno.ENXIO, errno.ENOENT}
"""Nobody reads the pipe, or it has been removed."""


def folder_of(engine: Engine) -> Path | None:
    """Folder with the pipes of those that wait for a database's commits; None for a database that is not in a file."""
    database = engine.url.database
    if engine.dialect.name != "sqlite" or not database or database == ":memory:":
        return None
    return Path(FOLDER.format(database=database))


def wake(engine: Engine) -> None:
    """Wakes waiting processes; forgets those that ended without closing their pipe."""
    folder = folder_of(engine)
    if folder is None:
        return
    with contextlib.suppress(FileNotFoundError):
        for pipe in list(folder.iterdir()):
            _write_to(pipe)


@contextmanager
def waiting(engine: Engine) -> Iterator[int | None]:
    """The descriptor of a pipe that can be read once something was committed; None where there is no file."""
    folder = folder_of(engine)
    if folder is None:
        yield None
        return
    folder.mkdir(mode=0o700, exist_ok=True)
    pipe = folder / f"{os.getpid()}-{secrets.token_hex(4)}"
    os.mkfifo(pipe, 0o600)
    descriptor = os.open(pipe, os.O_RDWR | os.O_NONBLOCK)  # it has a writer, so it does not end
    try:
        yield descriptor
    finally:
        os.close(descriptor)
        pipe.unlink(missing_ok=True)


def drain(descriptor: int) -> None:
    """Empties a pipe, to wait once more."""
    with contextlib.suppress(BlockingIOError):
        while os.read(descriptor, PIPE_BYTES):
            pass


def _write_to(pipe: Path) -> None:
    try:
        descriptor = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)
    except OSError as error:
        if error.errno not in GONE:
            raise
        pipe.unlink(missing_ok=True)
        return
    try:
        with contextlib.suppress(BlockingIOError):  # full: it is awake
            os.write(descriptor, b".")
    finally:
        os.close(descriptor)
