"""Hosts of a running `gpu-market up` whose agents, `gpu-market host run`, have a real Docker engine."""

from __future__ import annotations

import asyncio
import signal
from contextlib import aclosing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import psutil  # type: ignore[import-untyped]
import pytest
from solders.pubkey import Pubkey
from xprocess import ProcessStarter, XProcess

from anchor_client.connection import Connection
from anchor_client.market import JobState, Market
from host_agent.docker.container import BACKGROUND, TENANT, name_of
from tests.e2e.console import SCRIPT
from tests.e2e.seeded import UpProcess
from tests.host_agent.docker.engine import IMAGE, OwnEngine
from tests.indexer.service import until
from tests.processes.ports import free_ports

SECONDS = 60


@dataclass
class Host:
    """A listed machine whose agent can be started and killed."""

    xprocess: XProcess
    up: UpProcess
    engine: OwnEngine
    home: Path
    listing: str
    port: int

    @property
    def name(self) -> str:
        """Of the agent's process."""
        return f"host-{self.up.name}-{self.listing}"

    @property
    def own(self) -> tuple[str, str]:
        """The option that makes a command the host's."""
        return "--keypair", str(self.home / "host.json")

    @property
    def background(self) -> str:
        """Name of the background job's container."""
        return name_of(Pubkey.from_string(self.listing), BACKGROUND)

    @property
    def tenant(self) -> str:
        """Name of the tenant's container."""
        return name_of(Pubkey.from_string(self.listing), TENANT)

    def start(self) -> None:
        """Runs the agent until it is online."""
        options = self.options("--background-image", IMAGE, "--background-command", "exec sleep 1000")
        command = [str(SCRIPT), "host", "run", *options, "--json"]
        environment = self.up.console.environment

        class Starter(ProcessStarter):  # type: ignore[misc]
            pattern = '"ready": true'
            timeout = SECONDS
            max_read_lines = 500
            terminate_on_interrupt = True
            args = command
            env = environment

        self.xprocess.ensure(self.name, Starter, restart=True)

    def options(self, *more: str) -> tuple[str, ...]:
        """Arguments of `host run`."""
        return (
            *("--address", "127.0.0.1", "--bind", "127.0.0.1", "--ports", f"{self.port}-{self.port + 7}"),
            *("--engine", self.engine.url, "--gpus", "none", "--shm-gb", "1", "--listing", self.listing),
            *("--seal-key", str(self.home / "seal.key"), "--state-dir", str(self.home / "state"), *self.own, *more),
        )

    def kill(self) -> None:
        """Ends the agent without a warning."""
        self.xprocess.getinfo(self.name).terminate(kill_proc_tree=True, timeout=0.1)

    def end(self, sent: signal.Signals) -> None:
        """Sends the agent's process a signal, and waits for its end."""
        process = psutil.Process(self.xprocess.getinfo(self.name).pid)
        process.send_signal(sent)
        process.wait(SECONDS)

    def roles(self) -> list[tuple[str, str | None]]:
        """Roles and rentals of this listing, as `host machines` shows them."""
        shown = self.up.console.json("host", "machines", "--engine", self.engine.url)
        return [(one["role"], one["rental"]) for one in shown if one["listing"] == self.listing]

    def rent(self, *order: str) -> str:
        """Rents the machine, for an hour unless told otherwise; the job."""
        job: str = self.up.console.json("rent", "--listing", self.listing, "--duration", "1h", "--pay", "USDC", *order)[
            "id"
        ]
        return job

    async def connection(self, job: str) -> Connection:
        """The renter's connection, once the job runs."""
        await until_state(self, job, JobState.RUNNING)
        shown = self.up.console.json("job", job, "--connection")["connection"]
        return msgspec.convert(shown, Connection, strict=False)

    def job(self, job: str) -> Any:
        """The job as the command line shows it."""
        return self.up.console.json("job", job)


async def until_state(host: Host, job: str, state: JobState) -> None:
    async with (
        Market.connect(host.up.ready["rpc_url"], ws_url=host.up.ready["ws_url"]) as market,
        asyncio.timeout(SECONDS),
        aclosing(market.jobs.watch(Pubkey.from_string(job))) as statuses,
    ):
        async for status in statuses:
            if status.status is state:
                return
    pytest.fail(f"{job} ended without being {state}")


def listed_host(xprocess: XProcess, up: UpProcess, engine: OwnEngine, home: Path, *machine: str) -> Host:
    """A registered, approved host with a listing, whose files are in a folder; `machine` is what it lists."""
    key = str(home / "host.json")
    wallet = up.console.json("wallet", "new", key)["address"]
    up.console.run("wallet", "airdrop", "5", "--keypair", key)
    up.console.run("host", "register", "--seal-key", str(home / "seal.key"), "--keypair", key)
    authority = Path(up.ready["data"]) / "keys" / "authority.json"
    up.console.run("host", "approve", wallet, "--keypair", str(authority))
    listing = up.console.json("host", "list", *machine, "--region", "us-east", "--keypair", key)["listing"]
    return Host(xprocess, up, engine, home, listing, free_ports(8))


async def until_idle(host: Host) -> None:
    async def idle() -> bool:
        return host.engine.names("ps") & {host.background, host.tenant} == {host.background}

    await until(idle, SECONDS)


async def until_wiped(host: Host) -> None:
    """Until the last of the tenant's objects is gone: their network."""

    async def wiped() -> bool:
        return host.tenant not in host.engine.names("network", "ls")

    await until(wiped, SECONDS)
