"""`make flaky`: how many of how many failed, and what that says."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from scripts.flaky import bound
from tests.processes.patience import PATIENCE

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("times", "share"), [(20, 0.1391), (60, 0.0487), (300, 0.0099)])
def test_bound__no_failure__is_the_root_of_the_remaining_doubt(times: int, share: float) -> None:
    assert bound(0, times) == pytest.approx(share, abs=1e-4) == pytest.approx(1 - 0.05 ** (1 / times), abs=1e-4)


def test_bound__failures__is_clopper_and_pearsons() -> None:
    assert bound(1, 20) == pytest.approx(0.2161, abs=1e-4)
    assert bound(20, 20) == pytest.approx(1)


def test_flaky__test_that_fails_every_other_time__is_counted_and_named(tmp_path: Path) -> None:
    turns = tmp_path / "turns"
    (tmp_path / "test_odd.py").write_text(
        "from pathlib import Path\n"
        f"turns = Path({str(turns)!r})\n"
        "def test_odd():\n"
        "    seen = turns.read_text() if turns.exists() else ''\n"
        "    turns.write_text(seen + 'x')\n"
        "    assert len(seen) % 2\n"
        "def test_even():\n"
        "    pass\n"
    )
    command = [sys.executable, "-m", "scripts.flaky", str(tmp_path / "test_odd.py"), "-n", "2", "--load", "0"]
    done = subprocess.run(
        [*command, "-c", "/dev/null", "-p", "no:cacheprovider"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1, done.stderr
    assert "test_odd: 1 of 2 failed" in done.stdout
    assert "1 tests: 0 of 2 failed, each fails at most 77.6% of the time (95% certainty)" in done.stdout


def test_flaky__killed__leaves_no_core_busy() -> None:
    killed = "import os, signal\nfrom scripts.flaky import busy\nwith busy(2): os.kill(os.getpid(), signal.SIGKILL)"
    # The busy processes hold its output open, so that it is read to its end only once they have ended too.
    done = subprocess.run([sys.executable, "-c", killed], cwd=ROOT, capture_output=True, check=False, timeout=PATIENCE)
    assert done.returncode < 0 and done.stderr == b""
