"""Lock files."""

from __future__ import annotations

import os
from pathlib import Path
from stat import S_IMODE

import pytest

from anchor_client.service.lock_file import locked


def test_locked__another_holds_it__is_busy_and_nobody_else_may_open_it(tmp_path: Path) -> None:
    path, before = tmp_path / "new" / "lock", os.umask(0)
    try:
        with locked(path, RuntimeError("busy")):
            assert (S_IMODE(path.stat().st_mode), S_IMODE(path.parent.stat().st_mode)) == (0o600, 0o700)
            with pytest.raises(RuntimeError, match="busy"), locked(path, RuntimeError("busy")):
                pass
        with locked(path, RuntimeError("busy")):
            pass
    finally:
        os.umask(before)
