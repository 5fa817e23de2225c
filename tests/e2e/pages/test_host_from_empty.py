"""docs/host.md from an empty Debian machine to a paid order, with systemd, the unit as shipped, and Debian's Docker.

Then the units of deploy/README.md.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.deploy import images
from tests.docs.pages import ROOT
from tests.e2e.pages.debian_machine import DebianMachine, ReaderOn, booted
from tests.e2e.pages.market_units import market_serves
from tests.e2e.pages.page_reader import Where, simulated_agent
from tests.e2e.pages.walk import Walk
from tests.host_agent.docker.engine import IMAGE, OwnEngine, busybox
from tests.indexer.databases import in_time

PAGE = (ROOT / "docs/host.md").read_text()
EMPTY, TRY, MAINTENANCE = "From an empty Debian machine", "Try it", "Maintenance and prices"
DATE, AHEAD = "2026-12-01T02:00", timedelta(seconds=60)
ENDS = {"rpc": "http://127.0.0.1:8899", "api": "http://127.0.0.1:8000"}
UNIT = "gpu-market-host"
OWNER = "/etc/gpu-market/host.json"
KEYS = "/root/.local/share/gpu-market/localnet/keys"
AUTHORITY = f"{KEYS}/authority.json"
MARKET = f"GPU_MARKET_CLUSTER=localnet\nGPU_MARKET_RPC_URL={ENDS['rpc']}\nGPU_MARKET_API_URL={ENDS['api']}\n"
HOST = "GPU_MARKET_HOST_ADDRESS=127.0.0.1\nGPU_MARKET_HOST_GPUS=none\nGPU_MARKET_HOST_SHARED_MEMORY_GB=1\n"
READY_SECONDS = 180


@asynccontextmanager
async def market_on(machine: DebianMachine) -> AsyncIterator[None]:
    """`gpu-market up` on the machine itself, as that page has it."""
    process = await asyncio.create_subprocess_exec(
        *machine.command("gpu-market", "up", "--json"), stdout=asyncio.subprocess.PIPE
    )
    assert process.stdout is not None
    said = b""
    async with asyncio.timeout(READY_SECONDS):
        while b'"ready": true' not in said:
            line = await process.stdout.readline()
            assert line, said.decode()
            said += line
    yield
    process.kill()  # of the engine's client: the machine's end is the market's
    await process.communicate()


def shown(machine: DebianMachine, *words: str) -> Any:
    return json.loads(machine.says("gpu-market", *words, "--json"))


def gateways(machine: DebianMachine) -> list[str]:
    """Process ids of gateways."""
    found = "grep -lzx 'host_agent[.]gateway' /proc/[0-9]*/cmdline 2>/dev/null | cut -d/ -f3"
    return machine.says("sh", "-c", found).split()


def unit(machine: DebianMachine, name: str) -> str:
    """A property of the unit."""
    return machine.says("systemctl", "show", UNIT, "--property", name, "--value").strip()


@pytest.mark.rehearsal
async def test_host_page__empty_debian_machine__the_unit_earns_and_keeps_its_tenant_through_restarts(
    engine: OwnEngine, tmp_path: Path
) -> None:
    images.require()
    with booted(engine) as machine:
        async with AsyncExitStack() as stack:
            reader = ReaderOn(PAGE, tmp_path, Where(ENDS["rpc"], ENDS["api"], simulated_agent), stack)
            reader.machine = machine
            host = Walk(reader, EMPTY, {})
            await host.types("apt-get update")
            await host.types("apt-get install")
            host.skips("git clone")
            for beginning in ("python3 -m venv", "/opt/gpu-market/bin/pip install", "ln -s", "install -d"):
                await host.types(beginning)
            for name, text in (("market", MARKET), ("host", HOST)):
                await host.types(f"install -m 0640 /usr/local/src/gpu-market/deploy/systemd/{name}.env.example")
                machine.is_given(text.encode(), "tee", f"/etc/gpu-market/{name}.env")
            await stack.enter_async_context(market_on(machine))
            wallet = (await host.types("wallet new")).split()[0]
            machine.says("gpu-market", "wallet", "airdrop", "5", "--keypair", OWNER)
            await host.types("host register")
            machine.says("gpu-market", "host", "approve", wallet, "--keypair", AUTHORITY)
            assert "CPU" in await host.types("host detect")
            listed = re.search(r"^(\w{32,44})  1 x ", await host.types("host list"), re.MULTILINE)
            assert listed is not None
            for beginning in ("useradd", "cp ", "systemctl daemon-reload", "systemctl enable --now"):
                await host.types(beginning)
            host.ends()
            assert unit(machine, "ActiveState") == "active" and machine.says("id", "-un", UNIT).strip() == UNIT
            refused = machine.command("setpriv", "--reuid", UNIT, "--clear-groups", "cat", "/etc/gpu-market/seal.key")
            assert (await (await asyncio.create_subprocess_exec(*refused)).wait()) == 1
            await earns(machine, reader, listed[1])
            await is_maintained(machine, reader, listed[1])
            has_told(machine)
            market_serves(machine, MARKET, KEYS)


async def earns(machine: DebianMachine, reader: ReaderOn, listing: str) -> None:
    """The renter's part of `Try it`; the agent is restarted and replaced meanwhile."""
    machine.is_given(busybox(), "docker", "import", "--change", 'CMD ["/bin/sh"]', "-", IMAGE)
    renter = Walk(reader, TRY, {"LISTING": listing, "ubuntu:24.04": IMAGE, "host.json": OWNER})
    for before in ("wallet new", "wallet airdrop", "host register", "host approve", "host detect", "host list"):
        renter.skips(before)
    renter.skips("host run")
    assert "The machine is running" in await renter.types("rent --listing")
    assert IMAGE in await renter.types("host machines")
    [first] = gateways(machine)
    machine.says("systemctl", "restart", UNIT)
    assert gateways(machine) == [first], "the unit ends the agent alone"
    machine.says("systemctl", "reload", UNIT)
    assert set(gateways(machine)) - {first}, "the installed version has taken over"
    assert "uid=0" in await renter.types("ssh")
    job = shown(machine, "job", "@last")
    await renter.types("stop")
    ended = shown(machine, "job", job["id"])
    assert (job["status"], job["listing"], ended["status"]) == ("running", listing, "completed")
    assert int(ended["host_paid"]) > 0

    def paid() -> None:
        payments = shown(machine, "host", "earnings", "--keypair", OWNER)["payments"]
        assert sum(Decimal(one["amount"]) for one in payments) * 10**6 == int(ended["host_paid"])

    in_time(paid)
    for beginning in ("host earnings", "host show", "host change", "host change"):
        await renter.types(beginning)
    renter.ends()


async def is_maintained(machine: DebianMachine, reader: ReaderOn, listing: str) -> None:
    """`Maintenance and prices`, beside the unit: no order past the date, and then as before without a command."""
    own = ("--keypair", OWNER)
    rent = machine.command("gpu-market", "rent", "--listing", listing, "--duration", "6h", "--image", IMAGE)
    host = Walk(reader, MAINTENANCE, {})
    machine.says("gpu-market", "host", "change", listing, "--visible", *own)
    at = (datetime.now(UTC) + AHEAD).isoformat(timespec="seconds")
    given = {DATE: at, "2h": "1s"}
    machine.says(*(given.get(word, word) for word in host.skips("host maintenance --at")), *own)
    assert "Maintenance of 1 listing" in await host.types("host maintenance")
    machine.says("gpu-market", "host", "change", listing, "--price", "0.46", *own)  # the agent looks at once

    def offers(visible: bool) -> Callable[[], None]:
        def shown_so() -> None:
            assert shown(machine, "listing", listing)["available"] is visible

        return shown_so

    in_time(offers(False))
    refused = await asyncio.create_subprocess_exec(*rent, stderr=asyncio.subprocess.PIPE)
    told = (await refused.communicate())[1].decode()
    # As long as the order of `Try it`, of the same listing; the program looks at the longest rental first.
    assert refused.returncode == 2 and "The duration is above the listing's" in told, told
    in_time(offers(True))
    assert datetime.now(UTC).isoformat() > at and "None planned" in machine.says("gpu-market", "host", "maintenance")
    host.skips("host price")
    host.ends()


def has_told(machine: DebianMachine) -> None:
    """The unit's log has what was done, and nothing of what the unit gives its agent; it never fell over."""
    told = {
        json.loads(line)["event"]
        for line in machine.says("journalctl", "-u", UNIT, "-o", "cat").splitlines()
        if line[:1] == "{"
    }
    assert {"isolation", "maintenance_planned", "maintenance_over"} <= told and not told & {
        "maintenance_unreadable",
        "workspaces_without_disks",
        "open_files_unseen",
        "engine_connections_stay",
        "agent_fell_over",
    }
    assert unit(machine, "NRestarts") == "0"
