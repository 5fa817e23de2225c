"""docs/host.md's walkthrough: with a Docker engine as it stands, and as far as it goes without one."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import Path

import pytest
from solders.pubkey import Pubkey

from host_agent.docker.container import TENANT, name_of
from tests.e2e.pages.page_reader import Agent, docker_agent, simulated_agent
from tests.e2e.pages.walk import Walk, walking
from tests.e2e.seeded import UpProcess
from tests.host_agent import openssh
from tests.host_agent.docker.engine import IMAGE, OwnEngine
from tests.indexer.databases import in_time

GPU = "nvidia-rtx-4090-24gb"


@asynccontextmanager
async def offering(up: UpProcess, folder: Path, agent: Agent, **environment: str) -> AsyncIterator[Walk]:
    """The page up to a tenant's running job, and from its end on; the caller does what is between, and ends it."""
    async with walking("docs/host.md", "Try it", up, folder, agent=agent, environment=environment) as host:
        wallet = (await host.types("wallet new")).split()[0]
        await host.types("wallet airdrop")
        await host.types("host register")
        host.places["WALLET"] = wallet
        assert "may list machines" in await host.types("host approve")
        assert "CPU" in await host.types("host detect")
        listed = re.search(r"^(\w{32,44})  1 x ", await host.types("host list"), re.MULTILINE)
        assert listed is not None
        listing = listed[1]
        host.places |= {"LISTING": listing, "ubuntu:24.04": IMAGE}
        await host.types("host run")
        assert "The machine is running" in await host.types("rent --listing")
        job = up.console.json("job", "@last")
        assert (job["gpu"], job["listing"], job["status"]) == (GPU, listing, "running")
        yield host
        ended = up.console.json("job", job["id"])
        assert ended["status"] == "completed" and int(ended["host_paid"]) > 0
        mine = ("--keypair", str(folder / "host.json"))

        def paid() -> None:
            payments = up.console.json("host", "earnings", *mine)["payments"]
            assert sum(Decimal(one["amount"]) for one in payments) * 10**6 == int(ended["host_paid"])

        in_time(paid)
        assert job["id"][:4] in await host.types("host earnings")
        assert listing in await host.types("host show")
        await host.types("host change")
        assert up.console.json("listing", listing)["market_rate"]["micro_usd_per_hour"] == 450_000
        await host.types("host change")
        assert up.console.json("listing", listing)["status"] == "hidden"


@pytest.mark.exhaustive
@pytest.mark.xdist_group("up")
async def test_host_page__without_docker__a_simulated_machine_earns(up: UpProcess, tmp_path: Path) -> None:
    async with offering(up, tmp_path, simulated_agent) as host:
        host.skips("host machines")
        host.skips("ssh")
        await host.types("stop")


@pytest.mark.docker
async def test_host_page__with_docker__a_tenant_gets_in_and_is_paid_for(
    up: UpProcess, tmp_path: Path, engine: OwnEngine
) -> None:
    openssh.require("ssh")
    async with offering(up, tmp_path, docker_agent(engine), DOCKER_HOST=engine.url) as host:
        shown = await host.types("host machines")
        assert up.console.json("job", "@last")["id"] in shown and IMAGE in shown
        assert "uid=0" in await host.types("ssh")
        tenant = name_of(Pubkey.from_string(host.places["LISTING"]), TENANT)
        assert tenant in engine.names("ps")
        await host.types("stop")

        def wiped() -> None:
            assert tenant not in engine.names("ps") | engine.names("network", "ls")

        in_time(wiped)
