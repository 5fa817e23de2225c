"""`gpu-market notebook`."""

from __future__ import annotations

import webbrowser
from typing import Annotated, Final
from urllib.parse import quote

import asyncssh
import typer

from anchor_client.market import JobState
from anchor_client.service.pacing import RETRY_SECONDS, holds_within
from market_cli.acting import acting
from market_cli.commands.arguments import JobId
from market_cli.commands.rental.job import until_started
from market_cli.errors import BadOption, NotebookSilent
from market_cli.machine.connection import HERE, connected
from market_cli.machine.forwarding import keep_forwarded
from market_cli.machine.reach import reach
from market_cli.plain_text import theirs
from market_cli.session import CliSession

PORT: Final = 8_888
START_SECONDS: Final = 120
"""Maximum wait for Jupyter to listen once the machine runs."""
TELL_TOKEN: Final = 'printf %s "$JUPYTER_TOKEN"'


@acting
async def notebook(
    session: CliSession,
    job: JobId,
    port: Annotated[int, typer.Option("--port", min=1, max=65_535, help="Jupyter's port on the machine.")] = PORT,
    local: Annotated[
        int, typer.Option("--local", min=0, max=65_535, help="Local port.", show_default="any free port")
    ] = 0,
    no_open: Annotated[
        bool, typer.Option("--no-open", help="Only print the address, without opening a browser.")
    ] = False,
) -> None:
    """Open Jupyter of a job ordered with --notebook or --jupyter-token, once it answers.

    It is forwarded over SSH to this computer's loopback address, until Ctrl-C, so that the browser shows no certificate
    warning. If browsers trust the host's certificate, the command prints and opens its address, and ends.
    """
    address = await session.job(job)
    status = (await session.market.jobs.get(address)).status
    if status is not JobState.RUNNING and not status.is_final:
        await until_started(session, address)
    machine = await reach(session, str(address))
    connection = machine.access.connection
    async with connected(machine) as ssh:
        token = await _token(ssh)
        await _require_answer(ssh, port)
        if port in connection.urls and connection.certificate is None:
            _show(session, connection.urls[port], token, no_open=no_open)
            return

    def show(_: int, here: int) -> None:
        _show(session, f"http://{HERE}:{here}/", token, no_open=no_open)

    await keep_forwarded(session, machine, [(port, local)], show)


async def _token(ssh: asyncssh.SSHClientConnection) -> str:
    """The order's Jupyter token, from the environment of its container. BadOption."""
    token = str((await ssh.run(TELL_TOKEN)).stdout or "").strip()
    if not token:
        raise BadOption("The job was ordered without a Jupyter token", "Order with `gpu-market rent --notebook`.")
    return token


async def _require_answer(ssh: asyncssh.SSHClientConnection, port: int) -> None:
    """Waits until something listens on the machine. NotebookSilent."""
    refusal = ""

    async def answers() -> bool:
        nonlocal refusal
        try:
            _, writer = await ssh.open_connection("localhost", port)
        except asyncssh.ChannelOpenError as error:
            refusal = error.reason
            return False
        writer.close()
        return True

    if not await holds_within(START_SECONDS, answers, every=RETRY_SECONDS):
        raise NotebookSilent(f"Jupyter does not answer on the machine: {refusal}")


def _show(session: CliSession, url: str, token: str, *, no_open: bool) -> None:
    whole = f"{url}?token={quote(token, safe='')}"
    session.out.show({"url": whole}, theirs(whole))
    if not no_open and not webbrowser.open(whole):
        session.out.note("No browser was found.")
