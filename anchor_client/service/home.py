"""Paths as people write them."""

from __future__ import annotations

import os
from pathlib import Path


def expanded(path: Path | str) -> Path:
    """The path with the home folder that its ~ names; unchanged if there is no such user: its file is missing then."""
    return Path(os.path.expanduser(path))
