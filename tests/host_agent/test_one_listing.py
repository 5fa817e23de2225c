"""Agents of one machine, and a listing that both would serve."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from solders.keypair import Keypair

from host_agent.announcement import claimed

LISTING = Keypair().pubkey()
"""Random: the names of claimed listings are the machine's, and tests run side by side."""
BUSY = RuntimeError("busy")
OTHER = """
import sys
from pathlib import Path
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from host_agent.announcement import claimed
with claimed(Pubkey.from_string(sys.argv[1]), Path(sys.argv[2]), RuntimeError()):
    print("serves", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("directory", ["first", "second"])
def test_agents__same_listing__the_second_does_not_start_before_the_first_has_ended(
    tmp_path: Path, directory: str
) -> None:
    command = (sys.executable, "-c", OTHER, str(LISTING), str(tmp_path / "first"))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline() == b"serves\n"
        with pytest.raises(RuntimeError, match="busy"), claimed(LISTING, tmp_path / directory, BUSY):
            pytest.fail("each would take the other's containers for its own")
        with claimed(Keypair().pubkey(), tmp_path / directory, BUSY):
            pass
        other.kill()
    with claimed(LISTING, tmp_path / directory, BUSY):
        pass
