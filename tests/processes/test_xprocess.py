"""A run of the tests and the processes of earlier ones."""

from __future__ import annotations

import os

import pytest
from xprocess import XProcess


def test_getinfo__number_that_an_earlier_run_has_left__is_nothing_here(
    pytestconfig: pytest.Config, xprocess: XProcess
) -> None:
    assert pytestconfig.cache is not None
    name = f"left-{os.getpid()}"
    folder = pytestconfig.cache.mkdir(".xprocess") / name
    folder.mkdir()
    file = folder / "xprocess.PID"
    file.write_text(str(os.getpid()))
    try:
        assert not xprocess.getinfo(name).isrunning()
    finally:
        file.unlink()
        folder.rmdir()
