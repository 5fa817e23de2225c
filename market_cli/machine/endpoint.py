"""The API of a model that a job serves, opened on this computer."""

from __future__ import annotations

from typing import Final

import asyncssh

from anchor_client.service.pacing import RETRY_SECONDS, holds_within
from market_cli.errors import BadOption, ModelSilent
from market_cli.machine.connection import HERE, connected
from market_cli.machine.forwarding import keep_forwarded
from market_cli.machine.reach import reach
from market_cli.plain_text import theirs
from market_cli.session import CliSession

PORT: Final = 8_000
KEY: Final = "VLLM_API_KEY"
"""vLLM refuses requests without the key in this variable."""
MODEL: Final = "SERVED_MODEL"
TELL: Final = f'printf "%s\\n%s" "${KEY}" "${MODEL}"'
START_SECONDS: Final = 3_600
"""Maximum wait for a model to be loaded, once the machine runs."""
ASK: Final = b"GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"
HEALTHY: Final = b" 200 "


async def open_endpoint(session: CliSession, job: str, local: int) -> None:
    """Waits until the model answers, and prints its URL and key: the machine's own URL if clients trust its
    certificate, else one here, forwarded until Ctrl-C. BadOption, ModelSilent.
    """
    machine = await reach(session, job)
    connection = machine.access.connection
    async with connected(machine) as ssh:
        key, model = await _told(ssh)
        session.out.note(f"Waiting for {model} to be loaded; `gpu-market logs {job} --follow` shows its output.")
        await _require_answer(ssh)
    if PORT in connection.urls and connection.certificate is None:
        _show(session, connection.urls[PORT], key, model)
        return

    def show(_: int, here: int) -> None:
        _show(session, f"http://{HERE}:{here}/", key, model)

    await keep_forwarded(session, machine, [(PORT, local)], show)


async def _told(ssh: asyncssh.SSHClientConnection) -> tuple[str, str]:
    """The order's key and model, from the environment of its container. BadOption."""
    key, _, model = str((await ssh.run(TELL)).stdout or "").partition("\n")
    if not key:
        raise BadOption("The job was ordered without a key for a model", "Order with `gpu-market serve MODEL`.")
    return key, model


async def _require_answer(ssh: asyncssh.SSHClientConnection) -> None:
    """Waits until the server on the machine is healthy. ModelSilent."""
    if not await holds_within(START_SECONDS, lambda: _is_healthy(ssh), every=RETRY_SECONDS):
        raise ModelSilent("The model does not answer on the machine")


async def _is_healthy(ssh: asyncssh.SSHClientConnection) -> bool:
    try:
        reader, writer = await ssh.open_connection("localhost", PORT)
    except asyncssh.ChannelOpenError:
        return False
    writer.write(ASK)
    try:
        status: bytes = await reader.readline()
    finally:
        writer.close()
    return HEALTHY in status


def _show(session: CliSession, url: str, key: str, model: str) -> None:
    base = f"{url}v1"
    session.out.show(
        {"url": base, "key": key, "model": model},
        *(theirs(line) for line in (f"OPENAI_BASE_URL={base}", f"OPENAI_API_KEY={key}", f"model: {model}")),
    )
