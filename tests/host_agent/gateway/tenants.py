"""Tenancies served by gateways whose container is a folder."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from msgspec.structs import replace

from anchor_client.connection import Connection
from host_agent.gateway import handle
from host_agent.gateway.documents import Opening, RenterAdmission, TenantPlace
from host_agent.gateway.handle import DIRECTORY, GatewayHandle
from host_agent.identity import MachineIdentity
from tests.processes.ports import free_ports

HERE = "127.0.0.1"
LISTING = "Listing"
ROOT = Path(__file__).parents[3]


@dataclass
class Tenant:
    """A tenancy; `restarted` gives another agent's handle on its gateway."""

    folder: Path
    identity: MachineIdentity
    opening: Opening
    port: int
    handle: GatewayHandle = field(init=False)

    def __post_init__(self) -> None:
        self.handle = self.restarted()

    @property
    def deadline(self) -> Path:
        """File with the end of the paid time."""
        return self.folder / "deadline"

    @property
    def home(self) -> Path:
        """Folder that stands for the container."""
        return Path(self.opening.place.container)

    @property
    def directory(self) -> Path:
        """Folder of the control sockets."""
        return self.folder / DIRECTORY

    @property
    def connection(self) -> Connection:
        """The renter's."""
        return Connection(
            host=HERE,
            port=self.port,
            password=self.opening.admission.password,
            host_key=self.identity.ssh.public_key,
            ports={},
            https={8080: self.port + 1},
            certificate=self.identity.tls.pin,
            terminal=self.port + 7,
        )

    def restarted(self) -> GatewayHandle:
        """The handle of an agent that has just started."""
        return GatewayHandle(self.directory, LISTING)

    def admitting(self, **changes: str | None) -> Opening:
        """The same opening for other credentials."""
        return replace(self.opening, admission=replace(self.opening.admission, **changes))


@asynccontextmanager
async def tenant_in(folder: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Tenant]:
    """A tenancy that nothing serves yet; what serves it is ended afterwards."""
    monkeypatch.setattr(handle, "PROGRAM", "tests.host_agent.gateway.stand_in")
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    identity = MachineIdentity.load_or_create(folder, HERE)
    home = folder / "home"
    home.mkdir()
    port = free_ports(8)
    place = TenantPlace("Rental", str(home), HERE, port, port + 7, {8080: port + 1})
    opening = Opening(
        place,
        RenterAdmission("a password"),
        ssh_key=str(identity.ssh_key),
        certificate=[str(file) for file in identity.tls.files],
        deadline=str(folder / "deadline"),
    )
    tenant = Tenant(folder, identity, opening, port)
    try:
        yield tenant
    finally:
        await tenant.handle.end()


def is_running(pid: int) -> bool:
    """True while any thread of a process runs, of whomever it is the child: each may hold its sockets open."""
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
        threads = os.listdir(f"/proc/{pid}/task")
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z" or len(threads) > 1
