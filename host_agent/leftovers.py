"""Tenants left on this machine of listings that the agent does not serve: closed while it was off, or served before its
keys were replaced. Wiping them takes the engine and the disk, and neither key.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Mapping
from dataclasses import replace
from typing import Final

import structlog
from solders.pubkey import Pubkey

from anchor_client.errors import GpuMarketError, UnknownJob
from anchor_client.generated.accounts import Listing, Rental
from anchor_client.market import Market
from anchor_client.rules.rental import is_running, paid_until
from anchor_client.service.lock_file import locked
from host_agent.deadlines import Deadlines
from host_agent.disk.file_systems import DISKS, DiskImages
from host_agent.disk.workspaces import KeptWorkspaces
from host_agent.docker.engine import Engine
from host_agent.docker.machine import DockerMachine
from host_agent.errors import MachineFault
from host_agent.identity import MachineIdentity
from host_agent.images.rules import GB
from host_agent.settings.agent import AgentSettings
from host_agent.settings.machine import MachineSettings
from host_agent.tenancy import END_SECONDS, TAKE_BACK_SECONDS

LOOK_SECONDS: Final = 60.0
"""Interval of looks while a tenant is left whose rental has not ended."""
KEEP_DAYS: Final = 7
"""Days for which a workspace is kept whose listing is closed: its own number is unknown then."""

log = structlog.get_logger(__name__)


class Busy(Exception):
    """Another agent serves the listing."""


class Leftovers:
    """The tenants that agents with this state directory have left on an engine. `listings` are the host's that are
    known.
    """

    def __init__(
        self, settings: AgentSettings, market: Market, engine: Engine, listings: Mapping[Pubkey, Listing]
    ) -> None:
        self._settings = settings
        self._market = market
        self._engine = engine
        self._listings = listings
        self._deadlines = Deadlines(settings.state_dir, settings.engine_url)

    async def run(self, served: Collection[Pubkey]) -> None:
        """Looks until none is left but those of the served listings."""
        while await self.look(served):  # noqa: ASYNC110 - the chain is elsewhere
            await asyncio.sleep(LOOK_SECONDS)

    async def look(self, served: Collection[Pubkey] = ()) -> bool:
        """Wipes those whose rental has ended, but for the served listings'; True while others are left. Errors are
        logged.
        """
        try:
            held = await self._engine.held()
        except MachineFault as error:
            log.warning("tenants_left_unseen", error=error.message)
            return True
        found = [self._look_at(*each) for each in held.items() if each[0] not in served]
        return any([await each for each in found])

    async def _look_at(self, listing: Pubkey, rental: Pubkey) -> bool:
        """True if the tenant is left for a later look."""
        lock = self._settings.state_dir / f"{listing}.lock"
        if not lock.exists():  # an agent with another directory, or of another market, has made it
            return False
        try:
            with locked(lock, Busy()):
                if not await self._has_ended(listing, rental):
                    return True
                await self._wipe(listing, rental)
                log.info("machine_wiped", listing=str(listing), rental=str(rental))
        except Busy:
            return False
        except GpuMarketError as error:
            log.warning("tenant_left", listing=str(listing), error=error.message, remedy=error.remedy)
            return True
        return False

    async def _has_ended(self, listing: Pubkey, rental: Pubkey) -> bool:
        """True if the rental has ended by its account or the event that closed it, or if the node knows of neither and
        the deadline that its agent has set is over.
        """
        now, found = await self._market.reads.program.now_and_known(Rental, [rental])
        if rental in found and is_running(found[rental]):
            return now >= paid_until(found[rental]) + TAKE_BACK_SECONDS
        try:
            return (await self._market.jobs.get(rental)).status.is_final
        except UnknownJob:
            deadline = self._deadlines.file(listing)
            return not deadline.exists() or float(deadline.read_text()) <= time.time()

    async def _wipe(self, listing: Pubkey, rental: Pubkey) -> None:
        settings = self._settings
        identity = MachineIdentity.load_or_create(settings.state_dir, settings.address)
        kept = KeptWorkspaces(settings.state_dir, settings.keep_bytes)
        machine = DockerMachine(
            self._engine, self._machine(listing), settings.seal_key, identity, self._deadlines, kept
        )
        try:
            await machine.checkpoint(rental, END_SECONDS)
        except MachineFault as error:
            log.warning("checkpoint_failed", rental=str(rental), error=error.message)
        await machine.vacate()

    def _machine(self, listing: Pubkey) -> MachineSettings:
        disks = DiskImages(self._settings.state_dir / DISKS, are_mounted=False)
        made = MachineSettings.of(self._settings, listing, keep_days=KEEP_DAYS, disks=disks)
        known = self._listings.get(listing)
        if known is None:
            return made
        limits = replace(made.limits, workspace_bytes=known.disk_gb * GB)
        return replace(made, keep_days=known.keep_days, limits=limits)
