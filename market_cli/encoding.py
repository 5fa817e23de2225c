"""Output in an encoding that lacks some of our characters, as Latin-1 does."""

from __future__ import annotations

import codecs
import sys
from typing import Final

INSTEAD: Final = {"\u2014": "-", "\u2013": "-", "\u2026": "...", "\u2192": "->", "\u2713": "+", "\u2019": "'"}
HANDLER: Final = "gpu-market"


def print_anywhere() -> None:
    """Has standard output and error replace characters that their encoding lacks."""
    codecs.register_error(HANDLER, _replaced)
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors=HANDLER)


def _replaced(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    found = error.object[error.start : error.end]
    return "".join(INSTEAD.get(each, "?") for each in found), error.end
