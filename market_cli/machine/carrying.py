"""Carries the contents of /workspace from a lost machine to the next, through this computer. After a preemption warning
it is copied repeatedly, since it changes; unchanged files are skipped. Once the job has ended it is copied for as long
as the machine answers.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path, PurePosixPath
from tempfile import mkdtemp
from typing import Any, Final

import asyncssh

from anchor_client.orders.document import WORKSPACE_PATH
from market_cli.errors import BadOption, MachineLost
from market_cli.machine.connection import connected
from market_cli.machine.copying import Copied, LeftOut, download, files_of, local_tree, refusals, remote_tree, upload
from market_cli.machine.reach import JobReach

AGAIN_SECONDS: Final = 5.0
"""Between two copies during a grace period."""
RESCUE_SECONDS: Final = 600.0
"""Maximum time for copying from a machine that still answers after its job has ended."""
CANCEL_SECONDS: Final = 1.0
"""Wait before an unfinished task is cancelled again."""
ARRIVED: Final = ".gpu-market-copied"
"""A file that appears in the new workspace once everything else has arrived."""
LOST: Final = (MachineLost, BadOption, OSError, asyncssh.Error)
Tell = Callable[[str], None]


class Carrier:
    """Keeps the copy in a folder; `tell` gets successes, and `warn` failures."""

    def __init__(self, folder: Path, tell: Tell, warn: Tell) -> None:
        self._folder = folder
        self._tell = tell
        self._warn = warn
        self._begun: list[asyncio.Task[None]] = []
        self._rescue_begun: asyncio.Task[None] | None = None
        self._found: frozenset[PurePosixPath] = frozenset()
        """Paths on the machine at the last check."""
        self._whole_at: datetime | None = None
        self._failure: str | None = None
        self._left_out: dict[str, LeftOut] = {}
        """Files on the machine that could not be copied here, by path."""
        self._is_elsewhere = False
        """True while the only copy is here: it has not reached the running machine."""

    @property
    def is_owed(self) -> bool:
        """True while files exist only here."""
        return self._is_elsewhere and bool(self._found)

    def warned(self, machine: JobReach, seconds: float) -> None:
        """Copies while a machine's grace lasts."""
        self._begin(partial(self._during, machine, seconds))

    def lost(self, machine: JobReach) -> None:
        """Copies from a machine that still answers after its job has ended."""
        self._rescue_begun = self._begin(partial(self._rescue, machine))

    def arrived(self, machine: JobReach) -> None:
        """Uploads the copy to a running machine, and reports success or the missing parts."""
        self._begin(partial(self._deliver, machine), waits=True)

    async def settle(self) -> None:
        """Waits for the last task to finish."""
        if self._begun:
            await self._begun[-1]

    async def rescued(self) -> None:
        """Waits until the copy from the last lost machine is complete."""
        if self._rescue_begun is not None:
            await self._rescue_begun

    async def close(self) -> None:
        """Cancels the current task."""
        for task in reversed(self._begun):
            await _broken_off(task)

    def _begin(self, act: Callable[[], Coroutine[Any, Any, None]], *, waits: bool = False) -> asyncio.Task[None]:
        """Runs tasks one after another; a task that does not wait replaces the current one."""
        before = self._begun[-1] if self._begun else None

        async def do() -> None:
            if before is not None:
                await (asyncio.wait({before}) if waits else _broken_off(before))
            await act()

        self._begun.append(task := asyncio.create_task(do()))
        return task

    async def _during(self, machine: JobReach, seconds: float) -> None:
        until = asyncio.get_running_loop().time() + seconds
        while asyncio.get_running_loop().time() < until:
            await self._copy(machine)
            await asyncio.sleep(AGAIN_SECONDS)

    async def _rescue(self, machine: JobReach) -> None:
        try:
            async with asyncio.timeout(RESCUE_SECONDS):
                await self._copy(machine)
        except TimeoutError:
            self._failure = f"incomplete after {RESCUE_SECONDS / 60:g} minutes"
        finally:
            self._is_elsewhere = True

    async def _copy(self, machine: JobReach) -> None:
        """One copy. Files on a machine that never got the previous copy do not count as newer."""
        if self._is_elsewhere:
            return
        try:
            async with connected(machine) as ssh, files_of(ssh) as sftp:
                with refusals():
                    await self._fetch(sftp)
        except LOST as error:
            self._failure = str(error)
        else:
            self._whole_at = datetime.now(UTC)
            self._failure = None

    async def _fetch(self, sftp: asyncssh.SFTPClient) -> None:
        tree = await remote_tree(sftp, WORKSPACE_PATH)
        self._found = frozenset(entry.path for entry in tree if not entry.is_folder and entry.refused is None)
        free = shutil.disk_usage(self._folder).free
        if (needed := sum(entry.size for entry in tree)) > free + _size(self._folder):
            raise BadOption(
                f"{WORKSPACE_PATH} has {needed} bytes, and this computer has too little space",
                "Free space on this computer.",
            )
        copied = await download(sftp, WORKSPACE_PATH, tree, self._folder, lambda _: None)
        self._left_out = {each.path: each for each in copied.left_out}

    async def _deliver(self, machine: JobReach) -> None:
        if not self._is_elsewhere:
            return
        if self._whole_at is not None and not self._found:
            self._is_elsewhere = False
            return
        tree = await asyncio.to_thread(local_tree, self._folder)
        found = [entry for entry in tree if entry.is_folder or entry.path in self._found]
        try:
            async with connected(machine) as ssh, files_of(ssh) as sftp:
                with refusals():
                    copied = await upload(sftp, self._folder, found, WORKSPACE_PATH, lambda _: None)
                    # Last: a job that waits for the file finds everything else.
                    async with sftp.open(f"{WORKSPACE_PATH}/{ARRIVED}", "wb"):
                        pass
        except LOST as error:
            self._warn(f"{WORKSPACE_PATH} could not be copied to the new machine: {error}. It is in {self._folder}.")
        else:
            self._say(copied)
            self._is_elsewhere = False
            self._whole_at = None
            self._failure = None
            self._left_out = {}

    def _say(self, copied: Copied) -> None:
        for each in (self._left_out | {each.path: each for each in copied.left_out}).values():
            self._warn(f"{WORKSPACE_PATH}/{each.path} was left out: {each.reason}")
        text = f"{copied.files} files, {copied.bytes} bytes of {WORKSPACE_PATH} are on the new machine"
        if self._failure is None:
            self._tell(f"{text}.")
        elif self._whole_at is None:
            self._warn(f"Not all of {WORKSPACE_PATH} could be copied: {self._failure}. {text}.")
        else:
            self._warn(f"{text}, as they were at {self._whole_at:%H:%M:%S} UTC or later: {self._failure}.")


@asynccontextmanager
async def carrying(under: Path, tell: Tell, warn: Tell) -> AsyncIterator[Carrier]:
    """A carrier whose copy, in a folder, is deleted at the end unless it is the only one left. Leaving waits for the
    rescue from a lost machine, unless interrupted.
    """
    folder = await asyncio.to_thread(_new_folder, under)
    carrier = Carrier(folder, tell, warn)
    try:
        try:
            yield carrier
        except Exception:
            await carrier.rescued()
            raise
        await carrier.rescued()
    finally:
        await carrier.close()
        if carrier.is_owed:
            warn(f"{WORKSPACE_PATH} of the last machine is saved in {folder}.")
        else:
            shutil.rmtree(folder)


async def _broken_off(task: asyncio.Task[None]) -> None:
    """Ends a task, and raises its error. A task may swallow a cancellation and continue, as Python's `wait_for` does
    before 3.12.
    """
    while not task.done():
        task.cancel()
        await asyncio.wait({task}, timeout=CANCEL_SECONDS)
    if not task.cancelled():
        task.result()


def _new_folder(under: Path) -> Path:
    under.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Path(mkdtemp(dir=under))


def _size(folder: Path) -> int:
    return sum(entry.size for entry in local_tree(folder))
