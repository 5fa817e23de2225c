"""Leftovers on this machine of listings that the agent does not serve, closed while it was off or served before its
keys were replaced: tenants, and background jobs of closed ones. Wiping takes the engine and the disk, and neither key.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Collection, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import replace
from typing import Final

import structlog
from solders.pubkey import Pubkey

from anchor_client.errors import GpuMarketError, UnknownJob
from anchor_client.generated.accounts import Listing, Rental
from anchor_client.market import Market
from anchor_client.rules.rental import is_running, paid_until
from host_agent.announcement import claimed, lock_of
from host_agent.deadlines import Deadlines
from host_agent.disk.file_systems import DISKS, DiskImages
from host_agent.disk.workspaces import KeptWorkspaces
from host_agent.docker.container import BACKGROUND
from host_agent.docker.engine import Engine
from host_agent.docker.machine import BACKGROUND_GRACE_SECONDS, DockerMachine
from host_agent.errors import MachineFault
from host_agent.identity import MachineIdentity
from host_agent.images.rules import GB
from host_agent.settings.agent import AgentSettings
from host_agent.settings.machine import MachineSettings
from host_agent.tenancy import END_SECONDS, TAKE_BACK_SECONDS

LOOK_SECONDS: Final = 60.0
"""Interval of looks."""
KEEP_DAYS: Final = 7
"""Days for which a workspace is kept whose listing is closed: its own number is unknown then."""

log = structlog.get_logger(__name__)


class Busy(Exception):
    """The listing is another agent's."""


class Leftovers:
    """Tenants and jobs that agents with this state directory have left on an engine. `listings` are the host's that are
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
        """Looks regularly, after a first look before the listings are served."""
        while True:
            await asyncio.sleep(LOOK_SECONDS)
            await self.look(served)

    async def look(self, served: Collection[Pubkey] = ()) -> None:
        """Wipes tenants whose rental has ended, but for the served listings', and ends background jobs of closed
        listings. Errors are logged, and the next look tries again.
        """
        try:
            for listing, rental in (await self._engine.held()).items():
                if listing not in served:
                    await self._look_at(listing, rental)
            await self._end_jobs(served)
        except GpuMarketError as error:
            log.warning("leftovers_unseen", error=error.message)

    async def _look_at(self, listing: Pubkey, rental: Pubkey) -> None:
        try:
            with self._claimed(listing):
                if await self._has_ended(listing, rental):
                    await self._wipe(listing, rental)
                    log.info("machine_wiped", listing=str(listing), rental=str(rental))
        except Busy:
            return
        except GpuMarketError as error:
            log.warning("tenant_left", listing=str(listing), error=error.message, remedy=error.remedy)

    async def _end_jobs(self, served: Collection[Pubkey]) -> None:
        """Ends background jobs of closed listings, served ones too: an agent leaves a closed listing as it is. A node
        that does not know of an open one yet ends its job, which its agent starts again.
        """
        jobs = [each for each in await self._engine.containers() if each.role == BACKGROUND]
        listings = [Pubkey.from_string(job.listing) for job in jobs]
        if not jobs:
            return
        _, found = await self._market.reads.program.now_and_known(Listing, listings)
        for listing, job in zip(listings, jobs, strict=True):
            if listing in found:
                continue
            try:
                with nullcontext() if listing in served else self._claimed(listing):
                    await self._engine.remove(job, grace=BACKGROUND_GRACE_SECONDS)
                    log.info("background_job_ended", listing=str(listing))
            except Busy:
                continue

    def _claimed(self, listing: Pubkey) -> AbstractContextManager[None]:
        """Holds a listing of this state directory that no agent serves. Busy."""
        if not lock_of(listing, self._settings.state_dir).exists():
            raise Busy  # an agent with another directory, or of another market, has made it
        return claimed(listing, self._settings.state_dir, Busy())

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
