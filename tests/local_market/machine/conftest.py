"""A simulated machine in a folder, with a tenant who comes by SSH."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import asyncssh
import pytest
from solders.keypair import Keypair

from anchor_client.connection import Connection
from anchor_client.generated.accounts import Listing
from anchor_client.orders import OrderDocument, SealKey, Workload
from local_market.errors import NoSandbox
from local_market.machine.machine import AnsweringMachine
from local_market.machine.machines import AnsweringMachines
from local_market.machine.sandbox import Sandbox
from local_market.machines import machines_by_region

RENTAL, OTHER = (Keypair.from_seed(bytes([number]) * 32).pubkey() for number in (7, 8))
KEY = SealKey.from_bytes(bytes([9]) * 32)


@dataclass(frozen=True, slots=True)
class Host:
    """One machine and the folder of all."""

    machine: AnsweringMachine
    folder: Path

    async def rent(self, *, until_exit: bool = False, **order: Any) -> Connection:
        """Runs an order; the renter's connection."""
        document = order_of(**order)
        connection = self.machine.connection(RENTAL, document)
        await self.machine.provision(RENTAL, document, until_exit=until_exit)
        return connection


def order_of(**order: Any) -> OrderDocument:
    return Workload.of(**order).for_renter(KEY.public)


def listing_of(region: str, number: int) -> Listing:
    """A seeded listing, as far as a machine reads it."""
    spec = machines_by_region()[region][number]
    fields = ("gpu_model", "gpu_count", "vram_gb", "cpu_cores", "ram_gb", "disk_gb", "disk_mbps", "cuda")
    more = ("net_up_mbps", "net_down_mbps", "region")
    return cast(Listing, SimpleNamespace(id=number, **{name: getattr(spec, name) for name in (*fields, *more)}))


@asynccontextmanager
async def logged_in(connection: Connection) -> AsyncIterator[asyncssh.SSHClientConnection]:
    """The tenant."""
    known = asyncssh.import_known_hosts(f"[{connection.host}]:{connection.port} {connection.host_key}\n")
    async with asyncssh.connect(
        connection.host,
        connection.port,
        username="root",
        password=connection.password,
        known_hosts=known,
        client_keys=None,
        agent_path=None,
        config=None,
    ) as opened:
        yield opened


@pytest.fixture
def hosting(tmp_path: Path) -> Callable[..., AbstractAsyncContextManager[Host]]:
    """Makes the machine of a listing; a second one in the same folder is that of the next start of `up`."""

    @asynccontextmanager
    async def made(region: str = "us-east", number: int = 0, *, own_shell: bool = False) -> AsyncIterator[Host]:
        async with AnsweringMachines(tmp_path, own_shell=own_shell) as machines:
            address = Keypair.from_seed(bytes([number + 1]) * 32).pubkey()
            machine = machines.of_region(region)(address, listing_of(region, number))
            assert isinstance(machine, AnsweringMachine)
            yield Host(machine, tmp_path / str(address))

    return made


@pytest.fixture
async def sandboxed(tmp_path: Path) -> None:
    """Skips where this computer has no namespaces."""
    folders = [tmp_path / "probe" / name for name in ("root", "shown", "workspace")]
    for folder in folders:
        folder.mkdir(parents=True)
    for file in ("passwd", "group", "hosts", "profile", "meminfo"):
        (folders[1] / file).touch()
    sandbox = Sandbox(*folders, "probe")
    try:
        await sandbox.start()
    except NoSandbox as error:
        pytest.skip(str(error))
    await sandbox.close()
