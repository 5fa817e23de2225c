"""Agents of one engine, and tenants that nothing limits on its disk."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from host_agent.disk.one_disk import sharing_the_disk
from host_agent.errors import HostConfigurationError

REMEDY = "Use quotas."
OTHER = """
import sys
from host_agent.disk.one_disk import sharing_the_disk
with sharing_the_disk(sys.argv[1], "", is_limited=sys.argv[2] == "limited"):
    print("serves", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize(("first", "second"), [("limited", False), ("unlimited", True), ("unlimited", False)])
def test_agents__tenants_of_one_are_not_limited__the_second_does_not_start_before_the_first_has_ended(
    tmp_path: Path, first: str, *, second: bool
) -> None:
    command = (sys.executable, "-c", OTHER, str(tmp_path), first)
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline() == b"serves\n"
        refused = pytest.raises(HostConfigurationError, match="Another agent serves this engine")
        with refused as told, sharing_the_disk(str(tmp_path), REMEDY, is_limited=second):
            pytest.fail("their tenants could fill each other's disk")
        assert REMEDY in told.value.remedy
        with sharing_the_disk(f"{tmp_path}/other", REMEDY, is_limited=second):
            pass
        other.kill()
    with sharing_the_disk(str(tmp_path), REMEDY, is_limited=second):
        pass


def test_agents__tenants_of_all_are_limited__share_the_disk(tmp_path: Path) -> None:
    with (
        sharing_the_disk(str(tmp_path), REMEDY, is_limited=True),
        sharing_the_disk(str(tmp_path), REMEDY, is_limited=True),
    ):
        pass
