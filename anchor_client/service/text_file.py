"""Text files as people have them: UTF-8 with or without a byte order mark, or UTF-16 with one."""

from __future__ import annotations

import codecs
import errno
import os
from pathlib import Path
from typing import Final

from anchor_client.service.home import expanded

MOST_BYTES: Final = 16 * 2**20
"""Size of the largest file that is read: devices such as /dev/zero never end."""


def read_text(path: Path | str) -> str:
    """A file's text, without its byte order mark. OSError, UnicodeDecodeError."""
    data = _read(expanded(path))
    is_utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return data.decode("utf-16" if is_utf16 else "utf-8-sig")


def unreadable(error: OSError | UnicodeDecodeError) -> str:
    """Reason why a file cannot be read as text."""
    return (error.strerror or str(error)) if isinstance(error, OSError) else "it is not UTF-8"


def _read(path: Path) -> bytes:
    # A named pipe that nobody writes to opens only so, and is empty; otherwise not even Ctrl-C would end the wait.
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        os.set_blocking(descriptor, True)
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            data = file.read(MOST_BYTES + 1)
    finally:
        os.close(descriptor)
    if len(data) > MOST_BYTES:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG), str(path))
    return data
