"""A simulated machine that answers: its tenant's programs run on this computer."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, Protocol

import structlog
from solders.pubkey import Pubkey

from anchor_client.connection import Connection
from anchor_client.generated.accounts import Listing
from anchor_client.orders import OrderDocument
from anchor_client.orders.document import WORKSPACE_PATH
from host_agent.machine import MeteredUsage
from local_market.errors import NoSandbox
from local_market.machine.ports import TcpPorts
from local_market.machine.reports import PATH, START_NOTEBOOK, said_to_tenants, write_reports
from local_market.machine.tenancy import HeldPorts, TenantRecord
from local_market.stack.ports import LOOPBACK

if TYPE_CHECKING:
    from host_agent.access import TenantAccess
    from host_agent.identity import MachineIdentity
    from host_agent.settings.machine import MachineSettings
    from local_market.machine.emulated import EmulatedInside
    from local_market.machine.inside import LocalInside

RECORD: Final = "tenant.json"
HOSTNAME_CHARACTERS: Final = 12
log = structlog.get_logger(__name__)


class Shared(Protocol):
    """Things that the machines of one market share."""

    own_shell: bool
    """True if programs run without a sandbox, as this computer's user."""

    @property
    def identity(self) -> MachineIdentity:
        """Keys and certificate, made when the first is needed."""


class AnsweringMachine:
    """A host's Machine in a folder. It runs the order's command with programs of this computer in place of its image.

    Tenants end with this process, and are started again by the next one's `holds`.
    """

    def __init__(self, folder: Path, region: str, address: Pubkey, listing: Listing, shared: Shared) -> None:
        self._folder = folder
        self._region = region
        self._address = address
        self._listing = listing
        self._shared = shared
        self._record = TenantRecord.read(folder / RECORD)
        self._inside: LocalInside | EmulatedInside | None = None
        self._access: TenantAccess | None = None
        self._tcp: TcpPorts | None = None
        self._held: HeldPorts | None = None

    @property
    def tenant(self) -> Pubkey | None:
        """The rental whose order it has."""
        record = self._record
        return None if record is None or record.order is None else Pubkey.from_string(record.rental)

    @property
    def faults(self) -> Sequence[str]:
        """None: it has no hardware."""
        return ()

    async def recover(self) -> None:
        """The record was read at the start."""

    def connection(self, rental: Pubkey, order: OrderDocument) -> Connection:
        """SSH, the terminal for browsers and the order's ports, all on loopback. InvalidOrder."""
        record = self._record
        if record is None or record.rental != str(rental):
            record = self._begun(rental)
            self._save(record)
        settings, https, tcp = _ports(self._address, record, order)
        identity = self._shared.identity
        return Connection(
            host=LOOPBACK,
            port=settings.ssh_port,
            password=record.password,
            host_key=identity.ssh.public_key,
            ports=tcp,
            https=https,
            certificate=identity.tls.pin,
            terminal=settings.terminal_port,
            keep_days=None if order.keep_workspace is None else 0,
        )

    async def examine(self, order: OrderDocument) -> None:
        """It runs no image."""

    async def provision(
        self, rental: Pubkey, order: OrderDocument, *, until_exit: bool = False, within: float | None = None
    ) -> None:
        """Runs the order. MachineFault."""
        record = self._record
        if record is None or record.rental != str(rental):
            record = self._begun(rental)
        record.order, record.until_exit = order, until_exit
        self._save(record)
        await self.holds(rental)

    async def holds(self, rental: Pubkey) -> bool:
        """True if it has the rental's order. Starts its programs and opens its access, where they are not."""
        record = self._record
        if record is None or record.order is None or record.rental != str(rental):
            return False
        if self._inside is None:
            self._inside = await self._begin(record, record.order)
        if self._tcp is None:
            self._tcp = await TcpPorts.listening(_ports(self._address, record, record.order)[2], self._inside.connect)
        if self._access is None:
            self._access = await self._open(record, record.order, self._inside)
        self._release()
        return True

    async def exit_code(self, rental: Pubkey) -> int | None:
        """Exit code of the order's command, if the rental ends with it."""
        record = self._record
        if record is None or record.rental != str(rental) or not record.until_exit:
            return None
        return record.exit_code

    def keep_for(self, seconds: float) -> None:
        """Nothing outlives this process."""

    async def checkpoint(self, rental: Pubkey, seconds: float) -> None:
        """Runs the order's checkpoint command. MachineFault."""
        from local_market.machine.inside import LocalInside  # noqa: PLC0415 - only once it is needed

        order = None if self._record is None else self._record.order
        if order is not None and order.checkpoint is not None and isinstance(self._inside, LocalInside):
            await self._inside.checkpoint(order.checkpoint, seconds)

    async def usage(self, rental: Pubkey) -> MeteredUsage | None:
        """None: its charges are for traffic, and it has no network."""
        return None

    async def vacate(self) -> None:
        """Ends the tenant's programs and deletes their files."""
        await self.close()
        await asyncio.to_thread(_wipe, self._folder)
        self._record = None

    async def idle(self) -> None:
        """There is no background job."""

    async def close(self) -> None:
        """Ends the tenant's programs and connections; the next start takes the tenant up again."""
        access, self._access = self._access, None
        tcp, self._tcp = self._tcp, None
        inside, self._inside = self._inside, None
        self._release()
        if access is not None:
            await access.close()
        if tcp is not None:
            await tcp.close()
        if inside is not None:
            await inside.close()

    def _begun(self, rental: Pubkey) -> TenantRecord:
        """A new tenant's record, with ports held until its servers listen. MachineFault."""
        self._release()
        self._record, self._held = TenantRecord.begun(str(rental))
        return self._record

    def _release(self) -> None:
        held, self._held = self._held, None
        if held is not None:
            held.release()

    async def _begin(self, record: TenantRecord, order: OrderDocument) -> LocalInside | EmulatedInside:
        # Imported with the first tenant: they would make every start of `up` slower and larger.
        from local_market.machine.emulated import EmulatedInside  # noqa: PLC0415
        from local_market.machine.inside import LocalInside, Place  # noqa: PLC0415
        from local_market.machine.own import OwnShell  # noqa: PLC0415
        from local_market.machine.sandbox import Sandbox  # noqa: PLC0415

        root, shown, workspace = (self._folder / name for name in ("root", "shown", "workspace"))
        for folder in (root, shown, workspace):
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        name = record.rental[:HOSTNAME_CHARACTERS].lower()
        place: Place = OwnShell(workspace) if self._shared.own_shell else Sandbox(root, shown, workspace, name)
        write_reports(shown, self._region, self._listing, place.note)
        try:
            await place.start()
        except NoSandbox as error:
            log.warning("machine_emulated", listing=str(self._address), reason=str(error))
            return EmulatedInside(name, said_to_tenants(self._listing, "no place"))
        output = self._folder / "log"
        output.touch(mode=0o600)
        path = f"{shown / 'bin'}" if self._shared.own_shell else PATH
        home = {"HOME": WORKSPACE_PATH, "PATH": path, "LANG": "C.UTF-8"}
        token = {} if order.jupyter_token is None else {"JUPYTER_TOKEN": order.jupyter_token}
        inside = LocalInside(place, output, {**token, **order.env, **home})
        command = START_NOTEBOOK if order.command is None and order.jupyter_token is not None else order.command
        if command is not None and record.exit_code is None:
            inside.run_order(command).add_done_callback(lambda task: self._finished(record, task))
        return inside

    def _finished(self, record: TenantRecord, command: asyncio.Task[int]) -> None:
        if record is self._record and record.until_exit and not command.cancelled() and command.exception() is None:
            record.exit_code = command.result()
            self._save(record)

    async def _open(
        self, record: TenantRecord, order: OrderDocument, inside: LocalInside | EmulatedInside
    ) -> TenantAccess:
        from host_agent.access import TenantAccess, TenantPorts, TenantSockets  # noqa: PLC0415 - as above
        from host_agent.ssh import RenterCredentials  # noqa: PLC0415

        settings, https, _ = _ports(self._address, record, order)
        ports = TenantPorts(settings.bind, settings.ssh_port, settings.terminal_port, https)
        credentials = RenterCredentials(record.password, order.ssh_key)
        sockets = TenantSockets.bound(ports)
        return await TenantAccess.opened(sockets, self._shared.identity, credentials, inside, inside.connect)

    def _save(self, record: TenantRecord) -> None:
        record.save(self._folder / RECORD)


def _ports(
    address: Pubkey, record: TenantRecord, order: OrderDocument
) -> tuple[MachineSettings, dict[int, int], dict[int, int]]:
    """The machine's ports, and those of the order over HTTP and TCP. InvalidOrder."""
    from host_agent.docker.container import ports_of  # noqa: PLC0415 - with the first tenant
    from host_agent.settings.machine import MachineSettings  # noqa: PLC0415

    settings = MachineSettings(listing=address, address=LOOPBACK, bind=LOOPBACK, first_port=record.first_port)
    return settings, ports_of(settings, order, "http"), ports_of(settings, order, "tcp")


def _wipe(folder: Path) -> None:
    """Deletes a folder, also what a tenant has made unreadable for its owner."""
    for place, names, _ in os.walk(folder):
        for name in names:
            path = Path(place, name)
            if not path.is_symlink():
                path.chmod(0o700)
    if folder.exists():
        shutil.rmtree(folder)
