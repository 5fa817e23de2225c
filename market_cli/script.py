"""A renter's script on a rented machine: uploaded once it runs, run by the order's command, its results fetched.

The order's command waits for the files, runs the script and prints its exit code. So the script continues without the
sending computer, and `gpu-market logs` shows its output.
"""

from __future__ import annotations

import re
import shlex
import sys
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Final, Self

import asyncssh
from solders.pubkey import Pubkey

from anchor_client.orders import Workload
from anchor_client.service.home import expanded
from anchor_client.service.optional import optional
from host_agent.ssh.output import OutputWanted
from market_cli.commands.rental.cp import say_copied, send, warn_of_left_out
from market_cli.errors import BadOption
from market_cli.exit_codes import FAILED
from market_cli.machine.connection import connected
from market_cli.machine.copying import download, files_of, local_tree, refusals, remote_tree
from market_cli.machine.log_output import LogOutput
from market_cli.machine.reach import JobReach, reach
from market_cli.session import CliSession

BASE: Final = PurePosixPath("/tmp/gpu-market")
FILES: Final = BASE / "files"
"""Directory in which the script runs."""
MOST_BYTES: Final = 2**30
"""Maximum bytes of a script with its folder."""
MINUTES_TO_SEND: Final = 30
MINUTES_TO_FETCH: Final = 10
NEVER_CAME: Final = 75
STARTS: Final = ("run.sh", "main.py", "train.py")
"""Files of a folder that are run without --command; the first existing one."""
ENDED: Final = re.compile(rb"gpu-market: the script has ended with (\d{1,3})\r?\n")
WAIT: Final = "n=0; until [ -e {file} ]; do n=$((n+1)); [ $n -lt {seconds} ] || {otherwise}; sleep 1; done"


@dataclass(frozen=True, slots=True)
class Script:
    """A script to send, the command that runs it there, and the path to fetch."""

    source: Path
    run: str
    fetch: PurePosixPath | None

    @classmethod
    def of(cls, source: Path, command: str | None, fetch: str | None) -> Self:
        """A script file, or a folder. BadOption if it cannot be run, is too big, or the path to fetch is outside its
        folder.
        """
        source = expanded(source).resolve()
        size = sum(entry.size for entry in local_tree(source))
        if size > MOST_BYTES:
            remedy = "Copy data with `gpu-market cp`, or let the script download it."
            raise BadOption(f"{source} has {size} bytes; the maximum is {MOST_BYTES}", remedy)
        wanted = optional(PurePosixPath, fetch)
        if wanted is not None and (wanted.is_absolute() or ".." in wanted.parts or not wanted.parts):
            raise BadOption(f"--fetch takes a path in the script's folder, not {fetch}", "Write --fetch out/.")
        return cls(source, command or _command(source), wanted)

    def workload(self, workload: Workload, *, until_exit: bool) -> Workload:
        """The order whose command runs the script. InvalidOrder."""
        came = WAIT.format(file=BASE / "ready", seconds=MINUTES_TO_SEND * 60, otherwise=f"exit {NEVER_CAME}")
        lines = [f"mkdir -p {FILES}", came, f"cd {FILES} && (", self.run, ")", "code=$?", "echo"]
        lines.append('echo "gpu-market: the script has ended with $code"')
        if until_exit and self.fetch is not None:
            lines.append(WAIT.format(file=BASE / "fetched", seconds=MINUTES_TO_FETCH * 60, otherwise="break"))
        return workload.changed(command="\n".join([*lines, "exit $code"]))


async def run_script(session: CliSession, job: Pubkey, script: Script, *, stay: bool, until_exit: bool) -> int | None:
    """Uploads the script to a running job; with `stay` prints its output to its end, and fetches the results. Returns
    its exit code, FAILED instead of 0 if a file was left out; None if it is still running, or the job has ended before
    it. BadOption, MachineLost.
    """
    machine = await reach(session, str(job))
    session.out.note(f"Sending {script.source} to {FILES}")
    target = FILES / script.source.name if script.source.is_file() else FILES
    async with connected(machine) as ssh, files_of(ssh) as sftp:
        with refusals():
            await sftp.makedirs(str(FILES), exist_ok=True)
    sent = await send(session, machine, script.source, str(target), exactly=True)
    warn_of_left_out(session, sent)
    await _mark(machine, "ready")
    if not stay:
        session.out.note(f"It runs. Its output: [bold]gpu-market logs {job} --follow[/]")
        return None
    session.out.note("It runs, also without this computer. Its output:")
    code = await _follow(session, machine)
    if code is None:
        session.out.warn("The job has ended before its script.")
        return None
    is_whole = not sent.left_out
    if script.fetch is not None:
        is_whole &= await _fetch(session, machine, script.fetch)
        await _mark(machine, "fetched")
    rest = "The job ends now."
    if not until_exit:
        rest = f"The job continues, and costs money until you stop it: [bold]gpu-market stop {job}[/]"
    session.out.note(f"The script has ended with {code}. {rest}")
    return code if is_whole else code or FAILED


async def _follow(session: CliSession, machine: JobReach) -> int | None:
    out = LogOutput.to(sys.stderr if session.out.as_json else sys.stdout)
    async for line in _lines(machine):
        if (ended := ENDED.fullmatch(line)) is not None:
            return int(ended[1])
        out.write(line)
    return None


async def _lines(machine: JobReach) -> AsyncIterator[bytes]:
    wanted = OutputWanted(follow=True).subsystem()
    async with connected(machine) as ssh, ssh.create_process(subsystem=wanted, encoding=None) as printing:
        while line := await printing.stdout.readline():
            yield bytes(line)


async def _fetch(session: CliSession, machine: JobReach, path: PurePosixPath) -> bool:
    """Returns False if a file was left out."""
    async with connected(machine) as ssh, files_of(ssh) as sftp:
        with refusals():
            if not await sftp.exists(str(FILES / path)):
                session.out.warn(f"{path} does not exist after the script: nothing is fetched.")
                return True
            tree = await remote_tree(sftp, str(FILES / path))
            copied = await download(sftp, str(FILES / path), tree, Path(path), lambda _: None)
    say_copied(session, machine, copied)
    return not copied.left_out


async def _mark(machine: JobReach, name: str) -> None:
    async with connected(machine) as ssh, files_of(ssh) as sftp:
        with refusals():
            async with sftp.open(str(BASE / name), asyncssh.FXF_WRITE | asyncssh.FXF_CREAT):
                pass


def _command(source: Path) -> str:
    name = source.name
    if source.is_dir():
        found = next((each for each in STARTS if (source / each).is_file()), None)
        if found is None:
            remedy = f"Set it with --command, or name it {', '.join(STARTS)}."
            raise BadOption(f"The folder {source} has no default script to run", remedy)
        name = found
    here = shlex.quote(f"./{name}")
    if name.endswith(".py"):
        return f"if command -v python3 >/dev/null; then python3 -u {here}; else python -u {here}; fi"
    return f"sh {here}" if name.endswith(".sh") else here
