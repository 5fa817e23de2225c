"""An empty Debian machine that systemd runs, in a container with a network, control groups and a disk of its own."""

from __future__ import annotations

import asyncio
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.deploy import images
from tests.docs.pages import ROOT
from tests.e2e.pages.page_reader import Reader
from tests.host_agent.docker.engine import OwnEngine
from tests.processes.patience import PATIENCE

EMPTY = "gpu-market-test/machine:1"
CLONED = "gpu-market-test/cloned-machine:1"
NAME = "gpu-market-machine"
POWERS = (
    # All that an engine could give away: `--privileged` demands this one too, and fails where root itself lacks it.
    *("--cap-add", "ALL", "--cap-drop", "SYS_RESOURCE"),
    *("--security-opt", "seccomp=unconfined", "--security-opt", "apparmor=unconfined"),
    *("--security-opt", "systempaths=unconfined", "--device-cgroup-rule", "a *:* rwm", "--device", "/dev/loop-control"),
)
PLACES = ("--tmpfs", "/run", "--tmpfs", "/tmp", "--volume", "/var/lib", "--cgroupns", "private")
"""The engine's data and the agent's state share a disk, as on a machine with one."""


@dataclass(frozen=True, slots=True)
class DebianMachine:
    """A machine that has booted."""

    engine: OwnEngine

    def command(self, *words: str) -> list[str]:
        """The command line that runs a command on the machine, as root in their home."""
        given = ("exec", "--interactive", "--workdir", "/root", NAME)
        return ["docker", "--host", self.engine.url, *given, *words]

    def says(self, *words: str) -> str:
        """Runs a command that must end well; what it printed."""
        done = subprocess.run(self.command(*words), capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{words}: {done.stdout}{done.stderr}"
        return done.stdout

    def is_given(self, data: bytes, *words: str) -> None:
        """Runs a command that must end well, with these bytes as its input."""
        subprocess.run(self.command(*words), input=data, check=True, capture_output=True)


class ReaderOn(Reader):
    """Types a page's commands on a machine."""

    machine: DebianMachine

    async def start(self, words: list[str]) -> asyncio.subprocess.Process:
        """The command as a process there."""
        return await asyncio.create_subprocess_exec(
            *self.machine.command(*words), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT
        )


@contextmanager
def booted(engine: OwnEngine) -> Iterator[DebianMachine]:
    """The machine, with what `git clone` would bring; off again at the end."""
    images.keep(engine, EMPTY, "Containerfile.machine", images.debian(engine))
    images.build(engine, CLONED, images.HERE / "Containerfile.cloned", ROOT, EMPTY)
    engine.docker("network", "create", NAME)
    try:
        engine.docker(
            "run", "--detach", "--name", NAME, "--network", NAME, "--env", "container=docker", *POWERS, *PLACES, CLONED
        )
        machine = DebianMachine(engine)
        _wait_until_up(machine)
        yield machine
    finally:
        engine.docker("rm", "--force", "--volumes", NAME)
        engine.docker("network", "rm", NAME)


def _wait_until_up(machine: DebianMachine) -> None:
    deadline = time.monotonic() + PATIENCE
    while (state := _state(machine)) != "running":
        assert time.monotonic() < deadline, state
        time.sleep(0.2)


def _state(machine: DebianMachine) -> str:
    asked = machine.command("systemctl", "is-system-running")
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()
