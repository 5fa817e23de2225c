"""`gpu-market cp`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path, PurePosixPath
from typing import Annotated

import typer
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn

from anchor_client.service.home import expanded
from market_cli.acting import acting
from market_cli.completion import complete_job
from market_cli.errors import BadOption
from market_cli.exit_codes import FAILED
from market_cli.machine.connection import connected
from market_cli.machine.copying import (
    Copied,
    Report,
    TreeEntry,
    download,
    files_of,
    local_tree,
    name_of,
    refusals,
    remote_tree,
    upload,
)
from market_cli.machine.reach import JobReach, reach
from market_cli.session import CliSession


def complete_side(incomplete: str) -> list[str]:
    """Jobs, for completion of `JOB:PATH`."""
    return [f"{job}:" for job, _ in complete_job(incomplete)]


Side = Annotated[str, typer.Argument(help="Local path, or JOB:PATH on a job's machine.", autocompletion=complete_side)]


@acting
async def cp(session: CliSession, source: Side, target: Side) -> None:
    """Copy a file or a whole folder to or from a job's machine.

    Files that already exist with the same size and time are skipped, and an interrupted copy is resumed. A copy into an
    existing folder keeps its source's name. Files that cannot be copied are named and left out: the exit code is 1.
    """
    (job_from, from_) = _side(source)
    (job_to, to) = _side(target)
    if (job_from is None) is (job_to is None):
        raise BadOption(
            "Exactly one side of a copy must be a job's machine",
            "Write JOB:PATH for that side, and a path for the other.",
        )
    machine = await reach(session, job_from or job_to or "")
    try:
        if job_to is not None:
            copied = await send(session, machine, _here(from_), to)
        else:
            copied = await fetch(session, machine, from_, _here(to))
    except asyncio.CancelledError:
        session.out.warn("Copied files are kept: run the same command to resume.")
        raise
    say_copied(session, machine, copied)
    if copied.left_out:
        raise typer.Exit(FAILED)


async def send(session: CliSession, machine: JobReach, source: Path, target: str, *, exactly: bool = False) -> Copied:
    """Copies to a machine and shows progress; with `exactly` never into an existing folder. BadOption, MachineLost."""
    tree = await asyncio.to_thread(local_tree, source)
    async with connected(machine) as ssh, files_of(ssh) as sftp:
        with refusals(), _progress(session, tree) as report:
            into = not exactly and (target.endswith("/") or await sftp.isdir(target or "."))
            within = str(PurePosixPath(target or ".") / source.name) if into else target
            return await upload(sftp, source, tree, within, report)


async def fetch(session: CliSession, machine: JobReach, source: str, target: Path) -> Copied:
    """Copies from a machine and shows progress. BadOption, MachineLost."""
    async with connected(machine) as ssh, files_of(ssh) as sftp:
        with refusals():
            tree = await remote_tree(sftp, source or ".")
            into = await asyncio.to_thread(_within, target, await name_of(sftp, source or "."))
            with _progress(session, tree) as report:
                return await download(sftp, source or ".", tree, into, report)


def say_copied(session: CliSession, machine: JobReach, copied: Copied) -> None:
    """Prints the result of a copy, with a warning for each file that was left out."""
    warn_of_left_out(session, copied)
    already = ""
    if copied.unchanged:
        already = f"; {copied.unchanged} {'was' if copied.unchanged == 1 else 'were'} already there"
    text = f"{copied.files} file{'' if copied.files == 1 else 's'}, {copied.bytes} bytes{already}"
    session.out.show({"job": str(machine.job), **asdict(copied)}, text)


def warn_of_left_out(session: CliSession, copied: Copied) -> None:
    """Names the files that a copy left out."""
    for each in copied.left_out:
        session.out.warn(f"{each.path} was left out: {each.reason}")


def _side(text: str) -> tuple[str | None, str]:
    """The job, if the side names one, and the path. A local path with a colon must begin with . or /."""
    job, colon, path = text.partition(":")
    if not colon or "/" in job or job.startswith("."):
        return None, text
    return job, path


def _here(text: str) -> Path:
    return expanded(text).resolve()


def _within(target: Path, name: str) -> Path:
    return target / name if target.is_dir() else target


@contextmanager
def _progress(session: CliSession, tree: Iterable[TreeEntry]) -> Iterator[Report]:
    columns = (BarColumn(), DownloadColumn(), TransferSpeedColumn(), TextColumn("{task.description}"))
    shown = session.out.notes.is_terminal and not session.out.as_json
    with Progress(*columns, console=session.out.notes, transient=True, disable=not shown) as progress:
        task = progress.add_task("", total=sum(entry.size for entry in tree))
        yield lambda size: progress.advance(task, size)
