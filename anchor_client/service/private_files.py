"""Files for their owner's eyes only: mode 0600."""

from __future__ import annotations

import os
from pathlib import Path

from anchor_client.service.errors import BadKeyFile, KeyFileExists
from anchor_client.service.home import expanded


def write_key(path: Path | str, text: str, noun: str) -> None:
    """Writes a new key file. KeyFileExists rather than overwriting one, BadKeyFile when it cannot be written."""
    file = expanded(path)
    try:
        _write(file, text.encode(), os.O_EXCL)
    except FileExistsError:
        raise KeyFileExists(f"There is already a file at {file}") from None
    except OSError as error:
        remedy = "Check the folder and its free space, or name another file."
        raise BadKeyFile(f"The {noun} file {file} cannot be written: {error.strerror}", remedy) from error


def replace_file(path: Path, content: bytes) -> None:
    """Writes a file whole: readers see the old content or the new one. OSError that names the file."""
    path = path.resolve()  # where it is a link, what it names is replaced
    unfinished = path.with_suffix(".new")
    _write(unfinished, content, os.O_TRUNC)
    unfinished.replace(path)


def _write(path: Path, content: bytes, flag: int) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # The mode comes with the file: set afterwards, it would leave others a moment to open it.
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | flag, 0o600)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(content)
    except OSError as error:
        path.unlink()
        raise OSError(error.errno, error.strerror, str(path)) from error
