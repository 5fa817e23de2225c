"""Namespaces of Linux around a tenant's programs: own users, processes, files and network, without root or Docker."""

from __future__ import annotations

import asyncio
import re
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib.resources import files
from pathlib import Path
from typing import Final

from anchor_client.orders.document import WORKSPACE_PATH
from local_market.errors import NoSandbox

SCRIPT: Final = files(__package__).joinpath("init.sh").read_text("utf-8")
SCRIPT_FILE: Final = "init.sh"
NAMESPACES: Final = ("user", "mount", "pid", "net", "ipc", "uts")
READY: Final = re.compile(rb"ready (\d+)\n")
START_SECONDS: Final = 60
LIMITS: Final = ("prlimit", "--core=0", f"--fsize={2**30}", "--nproc=2048")
POWERLESS: Final = ("setpriv", "--no-new-privs", "--bounding-set=-all", "--inh-caps=-all")
"""Without them a tenant could undo the mounts that keep files from them."""


class Sandbox:
    """One tenant's namespaces; they end when `close` is called, or when this process dies."""

    note: Final = "a sandbox on this computer, without network"

    def __init__(self, root: Path, shown: Path, workspace: Path, name: str) -> None:
        self._script = root.parent / SCRIPT_FILE
        self._arguments = [str(root), str(shown), str(workspace), name]
        self._process: Process | None = None
        self._number = 0

    async def start(self) -> None:
        """Makes the namespaces. NoSandbox if this computer allows none, or lacks a tool."""
        flags = [f"--{namespace}" for namespace in NAMESPACES]
        command = ["unshare", *flags, "--map-root-user", "--fork", "--kill-child", "/bin/sh", str(self._script)]
        self._script.write_text(SCRIPT)
        try:
            self._process = await asyncio.create_subprocess_exec(
                *LIMITS, *command, *self._arguments, stdin=PIPE, stdout=PIPE, stderr=PIPE, start_new_session=True
            )
            async with asyncio.timeout(START_SECONDS):
                await self._await_ready(self._process)
                await self._try()
        except (OSError, TimeoutError) as error:
            await self.close()
            raise NoSandbox(f"No sandbox: {error}") from error
        except BaseException:
            await self.close()
            raise

    async def close(self) -> None:
        """Ends all its processes."""
        process = self._process
        self._process = None
        if process is not None:
            with suppress(ProcessLookupError):
                process.kill()
            # Read to their end, as `wait` alone leaves the pipes open.
            await process.communicate()

    def command(self, words: Sequence[str], environment: Mapping[str, str]) -> list[str]:
        """The command line that runs a program inside, in the workspace."""
        given = [f"{name}={value}" for name, value in environment.items()]
        enter = ["nsenter", "-t", str(self._number), "-U", "-m", "-p", "-n", "-i", "-u", "--preserve-credentials"]
        return [*LIMITS, *enter, *POWERLESS, "env", "-i", "-C", WORKSPACE_PATH, *given, *words]

    def terminal(self, words: Sequence[str], environment: Mapping[str, str], tty: str) -> list[str]:
        """The same with a terminal, which is this process's standard input."""
        # A session of the sandbox's own: that of a process outside has no number inside, and shells need one.
        return self.command(["setsid", "--ctty", *words], environment)

    async def _await_ready(self, process: Process) -> None:
        assert process.stdout is not None and process.stderr is not None
        ready = READY.fullmatch(await process.stdout.readline())
        if ready is None:
            said = (await process.stderr.read()).decode(errors="replace").strip()
            raise NoSandbox(f"No sandbox: {said.rpartition(chr(10))[2] or 'this computer allows no namespaces'}")
        self._number = int(ready[1])

    async def _try(self) -> None:
        """Runs a program inside, which takes tools that not every computer has."""
        done = await asyncio.create_subprocess_exec(*self.command(["true"], {}), stdin=PIPE, stdout=PIPE, stderr=PIPE)
        _, said = await done.communicate()
        if done.returncode:
            raise NoSandbox(f"No sandbox: {said.decode(errors='replace').strip()}")
