"""Restarts of the agent, and updates, while a renter works."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from host_agent.errors import MachineFault
from host_agent.gateway.documents import encode
from tests.host_agent.gateway.held import echo_server, held_sessions, newcomers
from tests.host_agent.gateway.tenants import LISTING, Tenant, is_running, tenant_in
from tests.host_agent.ssh import inside, logged_in
from tests.indexer.service import until

RESTARTS = 10
AGENT = """
import asyncio, sys
from pathlib import Path
import msgspec
from host_agent.gateway import handle
from host_agent.gateway.documents import Opening
handle.PROGRAM = "tests.host_agent.gateway.stand_in"
opening = msgspec.json.decode(sys.stdin.buffer.readline(), type=Opening)
async def run():
    await handle.GatewayHandle(Path(sys.argv[1]), sys.argv[2]).serve(opening)
    print("serves", flush=True)
    await asyncio.sleep(1000)
asyncio.run(run())
"""


@pytest.fixture
async def tenant(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Tenant]:
    async with tenant_in(tmp_path, monkeypatch) as made:
        yield made


async def agent_of(tenant: Tenant) -> Process:
    """An agent's process, once it has had the tenancy served."""
    started = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", AGENT, str(tenant.directory), LISTING), stdin=PIPE, stdout=PIPE, start_new_session=True
    )
    assert started.stdin is not None and started.stdout is not None
    started.stdin.write(encode(tenant.opening) + b"\n")
    said = await started.stdout.readline()
    assert "serves" in said.decode() or "serves" in (await started.stdout.readline()).decode()
    return started


async def test_agent__ends_and_starts_ten_times__sessions_stay_and_nobody_is_refused(
    tenant: Tenant, capsys: pytest.CaptureFixture[str]
) -> None:
    agent = await agent_of(tenant)
    async with (
        echo_server() as port,
        held_sessions(tenant.connection, port) as held,
        newcomers(tenant.connection) as new,
    ):
        for turn in range(RESTARTS):
            os.killpg(agent.pid, signal.SIGKILL if turn % 2 else signal.SIGTERM)
            await agent.communicate()
            await held.work()
            agent = await agent_of(tenant)
            await held.work()
    os.killpg(agent.pid, signal.SIGKILL)
    await agent.communicate()
    assert new.greeted > RESTARTS and new.refused == 0
    with capsys.disabled():
        print(f"\n{new.greeted} connections greeted, {new.refused} refused, the longest after {new.longest:.2f} s")


async def test_hand_over__while_sessions_are_open__they_stay_and_new_ones_have_the_new_process(tenant: Tenant) -> None:
    await tenant.handle.serve(tenant.opening)
    earlier = await tenant.handle.standing()
    assert earlier is not None
    async with newcomers(tenant.connection) as new:
        async with echo_server() as port, held_sessions(tenant.connection, port) as held:
            now = await tenant.handle.hand_over()
            assert now.pid != earlier.pid and now.place == earlier.place
            await held.work()
            assert is_running(earlier.pid)
            assert await inside(tenant.connection, "echo new") == (0, "new\n")
            assert await tenant.handle.standing() is not None
            await tenant.handle.serve(tenant.admitting(password="another"))

            async def has_ended() -> bool:
                return not is_running(earlier.pid)

        await until(has_ended)
    assert new.greeted and new.refused == 0
    standing = await tenant.handle.standing()
    assert standing is not None and standing.pid == now.pid


async def test_end__after_a_hand_over__ends_the_sessions_of_both_processes(tenant: Tenant) -> None:
    await tenant.handle.serve(tenant.opening)
    async with logged_in(tenant.connection) as before:
        await tenant.handle.hand_over()
        async with logged_in(tenant.connection) as after:
            await tenant.restarted().end()
            await before.wait_closed()
            await after.wait_closed()
    with pytest.raises(ConnectionRefusedError):
        await inside(tenant.connection, "true")

    async def are_gone() -> bool:
        return not list(tenant.directory.glob("*.sock"))

    await until(are_gone)


async def test_hand_over__new_process_dies_before_it_serves__old_one_goes_on(
    tenant: Tenant, monkeypatch: pytest.MonkeyPatch
) -> None:
    await tenant.handle.serve(tenant.opening)
    earlier = await tenant.handle.standing()
    tenant.identity.ssh_key.rename(tenant.folder / "away")
    tenant.identity.ssh_key.write_text("no key")
    with pytest.raises(MachineFault, match="cannot be used"):
        await tenant.handle.hand_over()
    assert await tenant.handle.standing() == earlier
    assert await inside(tenant.connection, "echo on") == (0, "on\n")


async def test_hand_over__nothing_runs__says_so(tenant: Tenant) -> None:
    tenant.directory.mkdir()
    with pytest.raises(MachineFault, match="hands nothing over"):
        await tenant.handle.hand_over()
