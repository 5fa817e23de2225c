"""One step as a process: its log, its home, its network, and what it takes."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections import deque
from dataclasses import dataclass
from pathlib import Path

from .steps import CiStep

ROOT = Path(__file__).resolve().parents[2]
HOME = Path.home()
BYTECODE = ROOT / "build/bytecode"
"""Compiled modules, which steps share: pytest alone would rewrite and compile every test for each suite and worker."""
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or HOME / ".cache") / "gpu-market"
KEPT = {
    "XDG_CACHE_HOME": HOME / ".cache",
    "CARGO_HOME": HOME / ".cargo",
    "RUSTUP_HOME": HOME / ".rustup",
    "PYENV_ROOT": HOME / ".pyenv",
    "UV_CONFIG_FILE": HOME / ".config/uv/uv.toml",
    "PIP_CONFIG_FILE": HOME / ".config/pip/pip.conf",
    "NPM_CONFIG_USERCONFIG": HOME / ".npmrc",
    "npm_config_cache": HOME / ".npm",
}
"""Directories and files of tools in the user's home that steps share: caches, toolchains and registries' settings."""
APART = """
ip link set lo up
ip link add up0 type veth peer name up1
ip address add 192.0.2.1/24 dev up0
ip link set up0 up
ip link set up1 up
exec sh -c "$0"
"""
"""Loopback, and an interface that leads nowhere: a browser with loopback alone says that it is offline."""


@dataclass(frozen=True, slots=True)
class EndedStep:
    """A step that has ended."""

    step: CiStep
    status: int
    seconds: float
    processor_seconds: float
    log: Path

    def lines(self, count: int) -> list[str]:
        """The last lines of its log."""
        with self.log.open(errors="replace") as lines:
            return [line.rstrip() for line in deque(lines, count)]


class RunningStep:
    """A step that has started; its processes share a session, so that one signal reaches all of them."""

    def __init__(self, step: CiStep, folder: Path) -> None:
        self.step = step
        name = step.name.replace(" ", "-")
        self.log = folder / f"{name}.log"
        home = folder / name
        home.mkdir(parents=True)
        # Of its own, since pytest removes the folders of earlier runs, and two that do so at once fail by chance.
        self._temporary = tempfile.mkdtemp(prefix="ci")
        command = ["sh", "-c", step.command]
        if step.apart:
            command = ["unshare", "--net", "sh", "-ec", APART, step.command]
        with self.log.open("wb") as log:
            self._process = subprocess.Popen(
                command,
                cwd=ROOT,
                env=_environment(step, home, self._temporary),
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
        self._began = time.monotonic()

    def ended(self) -> EndedStep | None:
        """The step's result; None while it runs."""
        pid, status, usage = os.wait4(self._process.pid, os.WNOHANG)
        if pid == 0:
            return None
        self._process.returncode = os.waitstatus_to_exitcode(status)
        shutil.rmtree(self._temporary, ignore_errors=True)
        seconds = time.monotonic() - self._began
        return EndedStep(self.step, self._process.returncode, seconds, usage.ru_utime + usage.ru_stime, self.log)

    def stop(self, number: signal.Signals) -> None:
        """Signals all its processes."""
        try:
            os.killpg(self._process.pid, number)
        except ProcessLookupError:
            return


def _environment(step: CiStep, home: Path, temporary: str) -> dict[str, str]:
    kept = {name: str(path) for name, path in KEPT.items() if path.exists()}
    own = {"CI": "true", "HOME": str(home), "TEST_PORTS_BLOCK": str(step.ports), "CARGO_TERM_COLOR": "never"}
    # Cargo and mypy know by hashes of their inputs what of these is still good.
    own |= {"CARGO_TARGET_DIR": str(CACHE / "target"), "MYPY_CACHE_DIR": str(CACHE / "mypy")}
    own |= {"PYTEST_DEBUG_TEMPROOT": temporary, "PYTHONPYCACHEPREFIX": str(BYTECODE)}
    own["PATH"] = f"{os.environ['PATH']}:{ROOT / '.uv/bin'}"  # where make fetches uv, if there is none
    if step.apart:
        own["UV_OFFLINE"] = "1"
    found = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return {**kept, **found, **own}
