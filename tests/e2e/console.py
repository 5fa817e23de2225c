"""The console script, run as people run it, with directories of its own."""

from __future__ import annotations

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from tests.e2e.forked import run_command
from tests.e2e.replicas import until_known

SCRIPT = Path(sys.executable).with_name("gpu-market")
RUN_SECONDS = 240


@dataclass(frozen=True, slots=True)
class Ended:
    """Output of a command that has ended."""

    stdout: str
    stderr: str


@dataclass(frozen=True, slots=True)
class Console:
    """Runs `gpu-market` with `home` in place of the user's directories."""

    home: Path
    replicas: str | None = None
    """URL of nodes that lag behind each other. A command may be answered by one that does not know what the last one
    did, so each is followed by a wait for all of them.
    """

    @property
    def environment(self) -> dict[str, str]:
        """The test's environment without anything that would choose a cluster or a key."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("GPU_MARKET_", "XDG_"))}
        places = {"XDG_CONFIG_HOME": "config", "XDG_DATA_HOME": "data", "XDG_STATE_HOME": "state", "HOME": "home"}
        return kept | {name: str(self.home / place) for name, place in places.items()} | {"PYTHONUNBUFFERED": "1"}

    def run(self, *arguments: str, code: int = 0) -> Ended:
        """Runs a command to its end, which must have this exit code."""
        with TemporaryDirectory() as folder:
            exit_code = run_command(arguments, self.environment, Path(folder), RUN_SECONDS)
            done = Ended(*((Path(folder) / name).read_text() for name in ("stdout", "stderr")))
        assert exit_code == code, f"{arguments}: {exit_code}\n{done.stdout}\n{done.stderr}"
        if self.replicas is not None:
            until_known(self.replicas)
        return done

    def json(self, *arguments: str, code: int = 0) -> Any:
        """Runs a command that prints one JSON document; returns it."""
        return json.loads(self.run(*arguments, "--json", code=code).stdout)

    def lines(self, *arguments: str) -> list[Any]:
        """Runs a command that prints one JSON document a line; returns them."""
        return [json.loads(line) for line in self.run(*arguments, "--json").stdout.splitlines()]
