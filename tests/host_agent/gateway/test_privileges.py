"""Rights that a gateway gives up."""

from __future__ import annotations

import ctypes
import os
from pathlib import Path

import pytest

from host_agent.gateway import privileges
from host_agent.gateway.privileges import give_up_privileges

NOBODY = 65_534
KEEP_CAPABILITIES = 8
"""Of prctl(2): another user has in the end what the unit's user has by AmbientCapabilities."""


def test_give_up_privileges__user_with_capabilities__has_none_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if os.geteuid() != 0:
        pytest.skip("capabilities to give up need root")
    score = tmp_path / "oom_score_adj"
    score.write_text("-900\n")
    score.chmod(0o666)
    tmp_path.chmod(0o711)
    monkeypatch.setattr(privileges, "OOM_SCORE", score)
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        kept = os.open(tmp_path, os.O_PATH)
        os.fchdir(kept)
        privileges.OOM_SCORE = Path(score.name)  # type: ignore[misc]
        ctypes.CDLL(None).prctl(KEEP_CAPABILITIES, 1, 0, 0, 0)
        os.setuid(NOBODY)
        before = status()
        give_up_privileges()
        os.write(writer, f"{before['CapPrm']} {status()['CapPrm']} {status()['NoNewPrivs']}".encode())
        os._exit(0)
    os.close(writer)
    with open(reader, "rb") as pipe:
        had, left, confined = pipe.read().decode().split()
    assert os.waitpid(child, 0)[1] == 0
    assert int(had, 16) and not int(left, 16) and confined == "1"
    assert score.read_text() == "0", "a machine without memory ends it before the agent"


def status() -> dict[str, str]:
    """State of this process as the kernel shows it, by name."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}
