"""OpenSSH access to a job's machine: without prompts, and only if its host key matches the sealed one."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import stat
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Rental
from anchor_client.market.rental.actions import Access
from anchor_client.orders.ssh_key import private_file
from anchor_client.rules.rental import has_ended
from anchor_client.service.pacing import RETRY_SECONDS
from anchor_client.service.private_files import replace_file
from market_cli.errors import BadOption, MachineLost
from market_cli.exit_codes import ReaderGone
from market_cli.paths import job_ssh_directory
from market_cli.session import CliSession

PASSWORD: Final = "SSH_JOB_PASSWORD"
ASKPASS: Final = f"#!/bin/sh\nprintf '%s\\n' \"${PASSWORD}\"\n"
SIGNALLED: Final = 128
SSH_FAILED: Final = 255
"""Exit code of ssh if it cannot connect, or has lost the connection."""


@dataclass(frozen=True, slots=True)
class JobReach:
    """A job's machine."""

    job: Pubkey
    access: Access

    @property
    def folder(self) -> Path:
        """The folder of this job's files."""
        return job_ssh_directory() / str(self.job)

    @property
    def place(self) -> str:
        """The machine's name in an ssh command."""
        return f"{self.access.connection.user}@{self.access.connection.host}"

    def options(self) -> dict[str, str]:
        """OpenSSH's settings for the machine; writes the files that they name."""
        connection = self.access.connection
        found = {
            "HostName": connection.host,
            "Port": str(connection.port),
            "User": connection.user,
            # A name of its own in known_hosts: another machine may have had this address and port.
            "HostKeyAlias": f"gpu-{self.job}",
            "UserKnownHostsFile": str(self.folder / "known_hosts"),
            "GlobalKnownHostsFile": "/dev/null",
            "StrictHostKeyChecking": "yes" if connection.host_key else "accept-new",
            # Else ssh offers every key of the agent first, by which the host could recognise its owner.
            "IdentitiesOnly": "yes",
        }
        if connection.host_key is not None:
            replace_file(self.folder / "known_hosts", f"gpu-{self.job} {connection.host_key}\n".encode())
        if self.access.key is not None:
            replace_file(self.folder / "key", private_file(self.access.key).encode())
            found["IdentityFile"] = str(self.folder / "key")
        return found

    def command(self, *words: str) -> list[str]:
        """An ssh command line; `words` follow the machine's name."""
        settings = {**self.options(), "NumberOfPasswordPrompts": "1"}
        return ["ssh", *(part for name, value in settings.items() for part in ("-o", f'{name}="{value}"')), *words]

    def environment(self) -> dict[str, str]:
        """Environment of an ssh command, with the password in case the machine does not accept the key."""
        askpass = self.folder / "askpass"
        replace_file(askpass, ASKPASS.encode())
        askpass.chmod(0o700)
        # Not on the command line, which all users of this computer can read.
        own = {"SSH_ASKPASS": str(askpass), "SSH_ASKPASS_REQUIRE": "force", PASSWORD: self.access.connection.password}
        return {**os.environ, **own}


async def reach(session: CliSession, job: str) -> JobReach:
    """The machine of a job. BadOption if its host has not accepted or it has ended, OrderNotSealed, WalletNeeded."""
    address = await session.job(job)
    access = await session.signing.rental.access(address)
    if access is None:
        raise BadOption(f"The host has not accepted {address} yet", "Wait for it: `gpu-market job JOB --watch`.")
    rental = await session.market.reads.program.read(Rental, address)
    if rental is None or has_ended(rental):
        raise BadOption(
            f"{address} has ended; its machine is no longer available",
            f"Check how it ended: `gpu-market job {address}`.",
        )
    return JobReach(address, access)


async def reach_again(session: CliSession, machine: JobReach, lost: MachineLost) -> JobReach:
    """The machine, for another attempt while its job runs. Raises `lost` once the job has ended."""
    session.out.note(f"{lost.message}; reconnecting while the job runs.")
    await asyncio.sleep(RETRY_SECONDS)
    try:
        return await reach(session, str(machine.job))
    except BadOption:
        raise lost from None


async def run_ssh(machine: JobReach, words: Sequence[str]) -> int:
    """Runs the system's ssh on this terminal, and returns its exit code: the remote command's, 255 if ssh failed."""
    if shutil.which("ssh") is None:
        raise BadOption("ssh is not installed", "Install OpenSSH's client.")
    command = machine.command(*words)
    with _left_to_ssh(signal.SIGINT):
        process = await asyncio.create_subprocess_exec(*command, env=machine.environment())
        # ssh itself waits for the remote command when nobody reads the output any more, for as long as that lasts.
        with reader_gone(process.terminate) as is_gone:
            code = await process.wait()
    if is_gone():
        raise ReaderGone
    return code if code >= 0 else SIGNALLED - code


@contextmanager
def _left_to_ssh(kind: signal.Signals) -> Iterator[None]:
    """Ctrl-C goes to the remote side: ssh gets it from the terminal and handles it."""
    before = signal.getsignal(kind)
    loop = asyncio.get_running_loop()
    loop.add_signal_handler(kind, lambda: None)
    try:
        yield
    finally:
        loop.remove_signal_handler(kind)
        signal.signal(kind, before)


@contextmanager
def reader_gone(act: Callable[[], None], output: int = 1) -> Iterator[Callable[[], bool]]:
    """Calls back once the reader of the output pipe has gone; yields whether that has happened."""
    gone = asyncio.Event()
    if not stat.S_ISFIFO(os.fstat(output).st_mode):
        yield gone.is_set
        return
    loop = asyncio.get_running_loop()

    def hang_up() -> None:
        loop.remove_reader(output)
        gone.set()
        with suppress(ProcessLookupError):
            act()

    # The end of a pipe that is written to is readable only once the other is closed.
    loop.add_reader(output, hang_up)
    try:
        yield gone.is_set
    finally:
        loop.remove_reader(output)
