"""Display of a job, once or until its end."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING

import typer
from solders.pubkey import Pubkey

from anchor_client.errors import GpuMarketError
from anchor_client.generated.accounts import Rental
from anchor_client.market import Job, JobState, JobStatus
from anchor_client.rules.rental import has_ended
from market_cli.commands.rental.checkpoint import Checkpoint
from market_cli.commands.rental.render import coloured, job_table
from market_cli.errors import BadOption
from market_cli.exit_codes import FAILED
from market_cli.plain_text import theirs
from market_cli.session import CliSession
from market_cli.worth import read_worth

if TYPE_CHECKING:
    from anchor_client.connection import Connection


async def show_job(session: CliSession, address: Pubkey) -> Job:
    """Prints everything about a job."""
    found = await session.market.jobs.with_history(address)
    await show_ended(session, found)
    return found


async def show_ended(session: CliSession, job: Job) -> None:
    """Prints everything about a job whose history is known, with its host's last message to the renter."""
    reads = session.market.reads
    received = [(await reads.denomination(each.mint)).say(each.amount) for each in job.compensations or ()]
    note = await session.market.rental.note(job)
    shown = job_table(job, await read_worth(session), received=received, note=note)
    session.out.show(job if note is None else job.to_json() | {"note": note}, shown)


async def show_connection(session: CliSession, address: Pubkey) -> None:
    """Prints the connection to a job's machine. BadOption if its host has not accepted."""
    connection = await session.signing.rental.connection(address)
    if connection is None:
        raise BadOption(f"The host has not accepted {address} yet", "Wait for it: `gpu-market job ID --watch`.")
    rental = await session.market.reads.program.read(Rental, address)
    if rental is None or has_ended(rental):
        session.out.warn(f"{address} has ended; its machine is no longer available.")
    document = {"job": str(address), "connection": connection.to_json(), "urls": connection.urls}
    session.out.show(document, *ways_in(connection))


async def follow(session: CliSession, address: Pubkey, checkpoint: Checkpoint | None = None) -> None:
    """Prints every state change, then the job's end; as JSON, one document per line. Exits with FAILED unless the job
    completed (and its command exited with 0, if its end was awaited).
    """
    async for status in session.market.jobs.watch(address):
        print_status(session, status)
        if checkpoint is not None:
            checkpoint.see(address, status)
    if checkpoint is not None:
        await checkpoint.finish()
    ended = await show_job(session, address)
    if ended.status is not JobState.COMPLETED or ended.exit_code:
        raise typer.Exit(FAILED)


async def follow_until_started(session: CliSession, address: Pubkey) -> None:
    """Prints every state change until the machine is running, and the connection. Exits with FAILED if the job ends
    earlier.
    """
    await until_started(session, address)
    await show_connection(session, address)


@contextmanager
def going_on(session: CliSession, job: object) -> Iterator[None]:
    """While following an ordered job: if the command is interrupted, warns that the job continues."""
    try:
        yield
    except (asyncio.CancelledError, GpuMarketError, OSError):
        session.out.warn(f"{job} continues and costs money until it ends: `gpu-market stop {job}`")
        raise


async def until_started(session: CliSession, address: Pubkey) -> None:
    """Prints every state change until the machine is running. If the job ends earlier, exits with FAILED and prints its
    host's message to the renter.
    """
    async with aclosing(session.market.jobs.watch(address)) as statuses:
        async for status in statuses:
            print_status(session, status)
            if status.status is JobState.RUNNING:
                return
    note = await session.market.rental.note(await session.market.jobs.with_history(address))
    if note is not None:
        session.out.warn(f"The host's message: {note}")
    raise typer.Exit(FAILED)


def print_status(session: CliSession, status: JobStatus) -> None:
    """A line about a state that a job has entered."""
    if session.out.as_json:
        session.out.line(status)
    else:
        at = datetime.fromtimestamp(status.ts, UTC).strftime("%H:%M:%S")
        session.out.people.print(f"{at}  {coloured(status.status)}  {status.message}{_deadline(status)}")


def _deadline(status: JobStatus) -> str:
    if status.preempt_at is None:
        return ""
    at = datetime.fromtimestamp(status.preempt_at, UTC).strftime("%H:%M:%S")
    return f" [bold red]at {at}[/], in {status.preempt_at - status.ts} s"


def ways_in(connection: Connection) -> list[str]:
    """The connection as lines of text."""
    host = connection.host
    port = connection.port
    lines = [f"ssh -p {port} {connection.user}@{host}   password {connection.password}"]
    if connection.host_key is not None:
        lines.append(f"host key   [{host}]:{port} {connection.host_key}")
    if connection.abuse_contact is not None:
        lines.append(f"report abuse to   {connection.abuse_contact}")
    lines += [f"port {inside}   {host}:{public}" for inside, public in connection.ports.items()]
    lines += [f"port {inside}   {url}" for inside, url in connection.urls.items()]
    if connection.fingerprint is not None:
        lines.append(f"certificate SHA-256 {connection.fingerprint}")
    said = [theirs(line) for line in lines]
    if connection.keep_days is None:
        return said
    return [*said, _kept(connection.keep_days)]


def _kept(days: int) -> str:
    if days == 0:
        return "/workspace is [bold red]not kept[/] after the job: this host keeps none"
    return f"/workspace is kept here for {days} day{'' if days == 1 else 's'} after the job"
