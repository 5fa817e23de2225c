"""Lines of `make up` about the steps before the market's own."""

from __future__ import annotations

import io
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from scripts import slow

ROOT = Path(__file__).parents[2]
NEVER = 100_000.0


def test_slow__command_is_quick__only_its_status_is_told(capfd: pytest.CaptureFixture[str]) -> None:
    assert slow.main("Fetching uv", "sh", "-c", "echo out; exit 7", after=NEVER) == 7
    assert capfd.readouterr() == ("out\n", "")


def test_slow__command_takes_long__is_named_and_then_timed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    gate = tmp_path / "gate"
    os.mkfifo(gate)

    class Errors(io.StringIO):
        """Standard error; the command may end once it has been named there."""

        def write(self, text: str) -> int:
            written = super().write(text)
            if text.endswith("…"):
                gate.write_text("open")
            return written

    errors = Errors()
    monkeypatch.setattr(sys, "stderr", errors)
    assert slow.main("Fetching uv", "cat", str(gate), after=0) == 0
    assert re.fullmatch(r"Fetching uv …\nFetching uv took \d+\.\d s\n", errors.getvalue())


def test_make_up__before_the_market__installs_packages_and_says_so() -> None:
    planned = subprocess.run(["make", "-n", "up"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    install, up = planned.splitlines()[-2:]
    assert install.startswith('python3 -m scripts.slow "Installing Python packages" ')
    assert "sync" in install and "--no-dev" in install
    assert up.endswith("run --no-dev gpu-market up ")
