"""Text files as people have them: UTF-8 with or without a byte order mark, or UTF-16 with one."""

from __future__ import annotations

import codecs
from pathlib import Path

from anchor_client.service.home import expanded


def read_text(path: Path) -> str:
    """A file's text, without its byte order mark. OSError, UnicodeDecodeError."""
    data = expanded(path).read_bytes()
    is_utf16 = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return data.decode("utf-16" if is_utf16 else "utf-8-sig")


def unreadable(error: OSError | UnicodeDecodeError) -> str:
    """Reason why a file cannot be read as text."""
    return (error.strerror or str(error)) if isinstance(error, OSError) else "it is not UTF-8"
