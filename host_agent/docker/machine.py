"""A machine that runs each order in a container and wipes it afterwards."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import time
from collections.abc import Mapping, Sequence
from typing import Final

import structlog
from msgspec import structs
from solders.pubkey import Pubkey

from anchor_client.connection import Connection
from anchor_client.orders import OrderDocument
from anchor_client.sealing import SealKey
from host_agent.commands import run
from host_agent.deadlines import Deadlines
from host_agent.disk.workspaces import KeptWorkspaces
from host_agent.docker.account_files import require_account_files
from host_agent.docker.checkpoint import run_checkpoint
from host_agent.docker.container import (
    BACKGROUND,
    CHECKPOINT,
    CONFIGURED,
    FOREIGN_IMAGE,
    RENTAL,
    SSH_KEY,
    TENANT,
    UNTIL_EXIT,
    background_container,
    https_ports,
    ports_of,
    tenant_container,
    tenant_network,
)
from host_agent.docker.control import ControlStart
from host_agent.docker.disk_guard import DiskGuard
from host_agent.docker.engine import Engine, Running
from host_agent.docker.shell import ContainerShell
from host_agent.docker.workspace import Workspace
from host_agent.errors import MachineFault, OrderRefused, OrderUnwanted, Unproven
from host_agent.gateway.documents import Opening, RenterAdmission, TenantPlace
from host_agent.gateway.handle import DIRECTORY, GatewayHandle
from host_agent.identity import MachineIdentity
from host_agent.images.gpu_requirements import require_fit
from host_agent.images.manifests import NotRead
from host_agent.images.registry import ImageRegistry
from host_agent.images.rules import full_name
from host_agent.listings.health_watch import HealthWatch
from host_agent.machine import MeteredUsage
from host_agent.network.doors import strangers_of_each
from host_agent.notices import RenterNotices
from host_agent.settings.machine import MachineSettings

PASSWORD_BYTES: Final = 18
MAKE_SECONDS: Final = 30.0
"""Time to make and start a container after its image should have arrived: its volumes begin as copies."""
BACKGROUND_GRACE_SECONDS: Final = 5
"""Time for a background job to save its work while a renter waits."""
BACKGROUND_RETRY_SECONDS: Final = 300.0
"""Wait before retrying to start a background job."""

log = structlog.get_logger(__name__)


class DockerMachine:
    """A Machine that keeps all its state on the engine, where the agent's next run finds it. A tenancy begins when the
    tenant's network is created and ends when it is removed, as the last of the tenant's objects.
    """

    def __init__(
        self,
        engine: Engine,
        settings: MachineSettings,
        key: SealKey,
        identity: MachineIdentity,
        deadlines: Deadlines | None = None,
        kept: KeptWorkspaces | None = None,
        health: HealthWatch | None = None,
        registry: ImageRegistry | None = None,
    ) -> None:
        self._engine = engine
        self._settings = settings
        self._key = key
        self._identity = identity
        self._deadlines = deadlines
        self._health = health or HealthWatch(settings.listing, settings.gpus)
        self._registry = registry or ImageRegistry()
        self._workspace = Workspace(engine, settings, kept)
        self._control = ControlStart(engine, settings.listing)
        self._gateway = GatewayHandle(identity.directory / DIRECTORY, str(settings.listing))
        self._notices = RenterNotices(identity.directory)
        self._is_served = False
        """True once this run has had the tenant served."""
        self._guard: DiskGuard | None = None
        self._tenant: Pubkey | None = None
        self._background_failed_at: float | None = None
        self._log = log.bind(listing=str(settings.listing))

    @property
    def tenant(self) -> Pubkey | None:
        """The rental of the existing network."""
        return self._tenant

    @property
    def faults(self) -> Sequence[str]:
        """Those of its GPUs, and what there is less than is listed, as seen while it was idle."""
        return self._health.faults

    async def recover(self) -> None:
        """Reads the current tenancy from the engine."""
        labels = await self._engine.network(self._settings.listing, TENANT)
        self._tenant = None if labels is None else Pubkey.from_string(labels[RENTAL])
        await self._workspace.recover()
        if self._tenant is None:
            await self._gateway.end()

    def connection(self, rental: Pubkey, order: OrderDocument) -> Connection:
        """SSH, the terminal for browsers, and the order's ports."""
        settings = self._settings
        if self.faults:
            raise OrderUnwanted(
                "This machine has a fault, or is less than listed", "The renter must order another machine."
            )
        settings.images.require_wanted(order.image)
        self._require_driver(order.env)
        return Connection(
            host=settings.address,
            port=settings.ssh_port,
            password=self._password(rental),
            host_key=self._identity.ssh.public_key,
            ports=ports_of(settings, order, "tcp"),
            https=ports_of(settings, order, "http"),
            certificate=self._identity.tls.pin,
            terminal=settings.terminal_port,
            abuse_contact=settings.abuse_contact,
            keep_days=None if order.keep_workspace is None else settings.keep_days,
        )

    async def examine(self, order: OrderDocument) -> None:
        """Checks the environment of an image that is cached, or that its registry shows; any other is checked once it
        has been fetched.
        """
        if not self._checks_driver:
            return
        image = full_name(order.image)
        if await self._engine.has_image(image):
            env = await self._engine.image_env(image)
        else:
            try:
                env = await self._registry.image_env(image, await self._engine.architecture())
            except NotRead as error:
                self._log.info("image_checked_later", reason=str(error))
                return
        self._require_driver(env | order.env)

    async def provision(
        self, rental: Pubkey, order: OrderDocument, *, until_exit: bool = False, within: float | None = None
    ) -> None:
        """Replaces the background job with the order."""
        if self._tenant == rental and await self.holds(rental):
            return
        order = structs.replace(order, image=full_name(order.image))
        until = None if within is None else asyncio.get_running_loop().time() + within
        listing = self._settings.listing
        await self._remove(BACKGROUND, grace=BACKGROUND_GRACE_SECONDS)
        await self._remove(TENANT)
        # Before the first of the tenant's objects is made: what fails from here on is wiped by `vacate`.
        self._tenant = rental
        if await self._engine.network(listing, TENANT) is None:
            # Asked before the image is fetched, which makes any image look like one that was there.
            foreign = not self._settings.keep_images and not await self._engine.has_image(order.image)
            await self._engine.create_network(tenant_network(self._settings, rental, order, foreign=foreign))
        await self._settings.egress.enforce()
        mount = await self._workspace.make(rental, order)
        config = tenant_container(self._settings, rental, order, [mount], until_exit=until_exit)
        try:
            await self._engine.pull(order, self._settings.images.within(within))
            self._require_driver(await self._engine.image_env(order.image) | order.env)
            latest = None if until is None else until + MAKE_SECONDS
            await self._engine.run(listing, TENANT, config, lambda made: self._fill(made, order, until), latest)
        except Unproven as fault:
            await self._remove(TENANT)
            raise await self._control.blame(fault, config) from fault
        if not await self.holds(rental):
            raise MachineFault("The order's container did not start")

    async def holds(self, rental: Pubkey) -> bool:
        """True if the rental's container exists. Has a gateway serve it, and restarts a stopped container, unless its
        command has ended permanently or it exceeds its disk limit. One that its own changes keep from starting stays
        stopped.
        """
        listing = self._settings.listing
        labels = await self._engine.network(listing, TENANT)
        container = await self._engine.container(listing, TENANT)
        if labels is None or container is None or container.labels[RENTAL] != str(rental):
            return False
        guard = await self._guard_of(container)
        if container.has_stopped:
            await self._workspace.attach()
        if container.has_stopped and not _is_done(container) and await guard.admits():
            await self._restart(container)
        guard.begin()
        if not self._is_served:
            await self._settings.egress.enforce()
        await self._gateway.serve(self._opening(rental, container, labels.get(SSH_KEY), guard.reason))
        self._is_served = True
        return True

    async def exit_code(self, rental: Pubkey) -> int | None:
        """The exit code of the rental's container, once it has exited."""
        container = await self._engine.container(self._settings.listing, TENANT)
        if container is None or container.labels[RENTAL] != str(rental) or not _is_done(container):
            return None
        return await self._engine.exit_code(container)

    def keep_for(self, seconds: float) -> None:
        """Moves the tenant's deadline."""
        if self._deadlines is not None:
            self._deadlines.put(self._settings.listing, time.time() + seconds)

    async def checkpoint(self, rental: Pubkey, seconds: float) -> None:
        """Runs the order's checkpoint command in its container."""
        container = await self._engine.container(self._settings.listing, TENANT)
        if container is None or container.labels[RENTAL] != str(rental) or container.state != "running":
            return
        command = container.labels.get(CHECKPOINT)
        if command is not None:
            await run_checkpoint(ContainerShell(self._engine.handle(container)), command, seconds, self._log)

    async def usage(self, rental: Pubkey) -> MeteredUsage | None:
        """Bytes that the rental's container has sent, and the size of its workspace."""
        container = await self._engine.container(self._settings.listing, TENANT)
        if container is None or container.labels[RENTAL] != str(rental):
            return None
        return MeteredUsage(await self._engine.sent_bytes(container), await self._workspace.size())

    async def vacate(self) -> None:
        """Ends connections, seals the workspace if requested, and removes the container with all volumes, the tenant's
        image and the tenant's network.
        """
        await self.close()
        await self._gateway.end()
        self._is_served = False
        listing = self._settings.listing
        await self._control.remove()
        # It is read through the container, so it comes before its end.
        await self._workspace.seal()
        await self._remove(TENANT)
        await self._workspace.remove()
        labels = await self._engine.network(listing, TENANT) or {}
        if FOREIGN_IMAGE in labels:
            await self._engine.remove_image(labels[FOREIGN_IMAGE])
        if self._settings.wipe_command:
            await _run_wipe_command(self._settings.wipe_command)
        # The last: as long as it exists, a restarted agent continues to wipe, and takes no order.
        await self._engine.remove_network(listing, TENANT)
        self._tenant = None
        if self._deadlines is not None:
            self._deadlines.drop(listing)

    async def idle(self) -> None:
        """Looks at the GPUs' health, and keeps the background job running; replaces one that was configured
        differently.
        """
        await self._health.look()
        self._workspace.drop_expired()
        job = self._settings.background
        running = await self._engine.container(self._settings.listing, BACKGROUND)
        wanted = None if job is None else background_container(self._settings, job)
        if running is not None and (wanted is None or wanted["Labels"][CONFIGURED] != running.labels.get(CONFIGURED)):
            await self._engine.remove(running, grace=BACKGROUND_GRACE_SECONDS)
            running = None
        if (
            job is None
            or wanted is None
            or (running is not None and not running.has_stopped)
            or not self._may_retry_background()
        ):
            return
        try:
            if running is None:
                await self._engine.pull(job)
                await self._engine.run(self._settings.listing, BACKGROUND, wanted)
            else:
                await self._engine.start(running)
        except (OrderRefused, MachineFault) as error:
            self._background_failed_at = time.monotonic()
            self._log.warning("background_job_failed", image=job.image, error=error.message)
        else:
            self._background_failed_at = None
            self._log.info("background_job_started", image=job.image)

    async def close(self) -> None:
        """Stops watching the tenant; containers keep running, and their renters stay connected."""
        # Forgotten before the first await, so that a second caller meanwhile does not end it again.
        guard = self._guard
        self._guard = None
        if guard is not None:
            await guard.end()

    @property
    def _checks_driver(self) -> bool:
        """True for a listing of GPUs with a CUDA version."""
        return bool(self._settings.gpus and self._settings.cuda)

    def _require_driver(self, env: Mapping[str, str]) -> None:
        if self._checks_driver:
            require_fit(env, self._settings.cuda)

    def _opening(self, rental: Pubkey, container: Running, public_key: str | None, closed: str | None) -> Opening:
        settings = self._settings
        place = TenantPlace(
            str(rental),
            container.id,
            settings.bind,
            settings.ssh_port,
            settings.terminal_port,
            https_ports(container.labels),
        )
        return Opening(
            place,
            RenterAdmission(self._password(rental), public_key, closed),
            ssh_key=str(self._identity.ssh_key.resolve()),
            certificate=[str(file.resolve()) for file in self._identity.tls.files],
            engine=self._engine.url,
            deadline=None if self._deadlines is None else str(self._deadlines.file(settings.listing).resolve()),
            strangers=strangers_of_each(settings.listings),
            notice=str(self._notices.file(settings.listing).resolve()),
        )

    async def _fill(self, container: str, order: OrderDocument, until: float | None) -> None:
        """Makes a container ready to be started. OrderRefused, Unproven."""
        await require_account_files(self._engine.volumes, container)
        await self._workspace.fill(container, order, until)

    async def _restart(self, container: Running) -> None:
        try:
            await require_account_files(self._engine.volumes, container.id)
            await self._engine.start(container)
        except OrderRefused as error:
            self._log.warning("tenant_stays_stopped", error=error.message)
        except Unproven as fault:
            blame = await self._control.blame(fault, await self._engine.config(container))
            if isinstance(blame, MachineFault):
                raise blame from fault
            self._log.warning("tenant_stays_stopped", error=blame.message)

    async def _guard_of(self, container: Running) -> DiskGuard:
        """The one of this container."""
        if self._guard is None or self._guard.container.id != container.id:
            if self._guard is not None:
                await self._guard.end()
            self._guard = DiskGuard(self._engine, container, self._settings.limits, self._tell_closed)
        return self._guard

    async def _tell_closed(self, container: Running, reason: str) -> None:
        """Has the gateway say why the container is stopped."""
        rental = Pubkey.from_string(container.labels[RENTAL])
        labels = await self._engine.network(self._settings.listing, TENANT) or {}
        await self._gateway.admit(RenterAdmission(self._password(rental), labels.get(SSH_KEY), reason))

    def _may_retry_background(self) -> bool:
        failed = self._background_failed_at
        return failed is None or time.monotonic() - failed >= BACKGROUND_RETRY_SECONDS

    def _password(self, rental: Pubkey) -> str:
        """A rental's password, derived from the host's seal key: stored nowhere, and the same after a restart."""
        # `person` keeps the digest apart from any other that the same key makes.
        digest = hashlib.blake2b(
            bytes(rental), key=bytes(self._key.private), digest_size=PASSWORD_BYTES, person=b"ssh-password"
        ).digest()
        return base64.urlsafe_b64encode(digest).decode()

    async def _remove(self, role: str, *, grace: int = 0) -> None:
        container: Running | None = await self._engine.container(self._settings.listing, role)
        if container is not None:
            await self._engine.remove(container, grace=grace)


def _is_done(container: Running) -> bool:
    """True if its command has ended permanently."""
    return container.state == "exited" and UNTIL_EXIT in container.labels


async def _run_wipe_command(command: Sequence[str]) -> None:
    """Runs the operator's wipe command on the machine. MachineFault unless it exits with 0."""
    try:
        status, said = await run(*command)
    except OSError as error:
        raise MachineFault(f"The wipe command cannot be run: {error}", "Check --wipe-command.") from error
    if status:
        last = said.strip().rpartition("\n")[2]
        raise MachineFault(
            f"The wipe command ended with {status}: {last}", "The machine stays offline until it succeeds."
        )
