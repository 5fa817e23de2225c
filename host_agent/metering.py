"""Traffic and storage usage, reported if the listing charges for it and the renter has set a cap. For unknown values,
such as usage while no agent ran, the lower figure counts.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Final

import structlog
from solders.pubkey import Pubkey

from anchor_client.errors import GpuMarketError, UnknownMeter
from anchor_client.generated import errors as refusals
from anchor_client.generated.accounts import Meter, Rental
from anchor_client.generated.constants import SECONDS_PER_HOUR
from anchor_client.market import Market
from anchor_client.rules.meter import is_charged, storage_limit_floor, stored_from
from anchor_client.rules.rental import paid_until
from host_agent.machine import Machine, MeteredUsage

SAMPLE_SECONDS: Final = 300.0
"""Interval between measurements of a tenant's usage."""
WINDOWS_PER_REPORT: Final = 2
"""A report restarts the charge window of the pending usage: with this many windows in between, earlier usage is
accepted.
"""
MB: Final = 10**6
GB: Final = 10**9
_NEVER: Final = (
    UnknownMeter,
    refusals.RentalNotStarted,
    refusals.ReportTooLate,
    refusals.UsageNotGrowing,
    refusals.StorageAboveLimit,
)
"""Errors after which a report is not retried."""

log = structlog.get_logger(__name__)


@dataclass(slots=True)
class Totals:
    """Usage of a rental since its meter opened; times are the cluster's unix seconds."""

    rental: Pubkey
    sent: int
    gb_seconds: float
    measured: MeteredUsage
    at: int

    def add(self, measured: MeteredUsage, at: int, most_gb: int) -> None:
        """Adds the usage since the last call. A restarted container's counter begins at zero."""
        before = self.measured.sent_bytes
        self.sent += measured.sent_bytes - (before if measured.sent_bytes >= before else 0)
        stored = min(self.measured.workspace_bytes, measured.workspace_bytes) / GB
        self.gb_seconds += min(stored, most_gb) * max(0, at - self.at)
        self.measured = measured
        self.at = at

    @property
    def megabytes(self) -> int:
        """MB sent, rounded down."""
        return self.sent // MB

    @property
    def gb_hours(self) -> int:
        """GB-hours of storage, rounded down."""
        return int(self.gb_seconds // SECONDS_PER_HOUR)


class Metering:
    """Measures and reports for one machine. Failures are logged: nothing else waits for a report."""

    def __init__(self, listing: Pubkey, machine: Machine, market: Market) -> None:
        self._listing = listing
        self._machine = machine
        self._market = market
        self._totals: Totals | None = None
        self._looked_at: float | None = None
        self._owed: dict[Pubkey, Totals] = {}
        """Counters of ended rentals whose last report is still open."""
        self._log = log.bind(listing=str(listing))

    async def look(self, address: Pubkey, rental: Rental, now: int) -> None:
        """Measures a running rental with a meter, and reports its usage once none of it is open to dispute."""
        if self._looked_at is not None and not _has_passed(self._looked_at):
            return
        self._looked_at = time.monotonic()
        try:
            meter = await self._market.charges.get(address)
            totals = await self._measure(address, meter, now, is_whole=meter.opened_at <= rental.started_at)
            if totals is None:
                return
            if now - max(meter.reported_at, meter.opened_at) >= WINDOWS_PER_REPORT * meter.charge_window:
                heard_at = (await self._market.reads.listing(self._listing)).last_heartbeat_at
                await self._report(totals, meter, stored_from(meter, rental), min(paid_until(rental), heard_at), now)
        except UnknownMeter:
            return
        except GpuMarketError as error:
            self._log.warning("usage_not_reported", rental=str(address), error=error.message)

    async def finish(self, address: Pubkey) -> None:
        """Measures an ended rental before its container is removed, and sends its last report."""
        if address not in self._owed:
            totals = await self._last_totals(address)
            if totals is not None:
                self._owed[address] = totals
        self._totals = None
        self._looked_at = None
        await self.catch_up()

    async def catch_up(self) -> None:
        """Sends missing last reports of ended rentals."""
        for address, totals in list(self._owed.items()):
            try:
                meter = await self._market.charges.get(address)
                now = await self._market.reads.now()
                await self._report(totals, meter, meter.stored_from, meter.paid_until, now)
            except _NEVER as error:
                self._log.info("usage_not_charged", rental=str(address), error=error.message)
            except GpuMarketError as error:
                self._log.warning("usage_not_reported", rental=str(address), error=error.message)
                continue
            del self._owed[address]

    async def _last_totals(self, address: Pubkey) -> Totals | None:
        """Totals of an ended rental; the last measured ones if measuring fails."""
        known = None
        if self._totals is not None and self._totals.rental == address:
            known = self._totals
        try:
            meter = await self._market.charges.get(address)
            return await self._measure(address, meter, await self._market.reads.now(), is_whole=False)
        except UnknownMeter:
            return None
        except GpuMarketError as error:
            self._log.warning("usage_not_measured", rental=str(address), error=error.message)
            return known

    async def _measure(self, address: Pubkey, meter: Meter, now: int, *, is_whole: bool) -> Totals | None:
        """Totals until now; None if nothing can be measured.

        The engine's count from before the first measurement is included if it `is_whole`: if the meter was open then.
        """
        measured = await self._machine.usage(address)
        if measured is None:
            return None
        if self._totals is None or self._totals.rental != address:
            if is_whole:
                sent = max(measured.sent_bytes, meter.bandwidth_mb * MB)
            else:
                sent = meter.bandwidth_mb * MB
            self._totals = Totals(address, sent, meter.storage_gb_hours * SECONDS_PER_HOUR, measured, now)
        else:
            self._totals.add(measured, now, meter.storage_gb)
        return self._totals

    async def _report(self, totals: Totals, meter: Meter, since: int, until: int, now: int) -> None:
        megabytes = max(totals.megabytes, meter.bandwidth_mb)
        gb_hours = max(min(totals.gb_hours, storage_limit_floor(meter, since, until, now)), meter.storage_gb_hours)
        if not is_charged(meter, megabytes, gb_hours):
            return
        await self._market.charges.report(totals.rental, megabytes, gb_hours)
        self._log.info("usage_reported", rental=str(totals.rental), megabytes=megabytes, gb_hours=gb_hours)


def _has_passed(looked_at: float) -> bool:
    return time.monotonic() - looked_at >= SAMPLE_SECONDS
