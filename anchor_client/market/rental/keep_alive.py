"""Extends a rental for its renter, again and again, within what they allow.

The chain is the only record: the extensions that the rental has had are read from it, and each new one names the paid
time that it extends, so that of any number of transactions sent for it, by whatever process and whenever, one lands.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator
from dataclasses import dataclass

from solders.pubkey import Pubkey

from anchor_client.errors import AllowanceSpent, GpuMarketError
from anchor_client.generated.accounts import Rental
from anchor_client.generated.errors import AlreadyExtended, CostAboveMaximum
from anchor_client.generated.events import RentalExtended, RentalOpened
from anchor_client.market.area import Area
from anchor_client.market.rental.allowance import Allowance
from anchor_client.market.rental.plan import ExtendPlan, RentalPlanner
from anchor_client.rules.rental import has_ended, is_running, paid_until


@dataclass(frozen=True, slots=True)
class Extended:
    """Extensions of a rental so far: their number, the base units spent, and the paid time in seconds that results."""

    times: int
    spent: int
    duration: int


class KeepAlive(Area):
    """Extends a rental of the wallet's whenever little paid time is left."""

    async def run(self, job: Pubkey, allowance: Allowance) -> AsyncGenerator[Extended | GpuMarketError, None]:
        """Each extension, and each new failure, after which it tries again for as long as there is paid time.

        Ends with the rental, or with AllowanceSpent once what is allowed does not cover another extension.
        """
        failure: GpuMarketError | None = None
        async with self.session.wakeups.of(job) as wakeups:
            async for _ in wakeups:
                try:
                    rental = await self.reads.program.read(Rental, job)
                    if rental is None or has_ended(rental) or await self.is_over(rental):
                        return
                    extended = await self.extend_if_due(job, rental, allowance)
                    if extended is not None:
                        yield extended
                except AllowanceSpent as error:
                    yield error
                    return
                except GpuMarketError as error:
                    if str(error) != str(failure):
                        yield error
                    failure = error

    async def is_over(self, rental: Rental) -> bool:
        """True where the rental's paid time is over."""
        return is_running(rental) and paid_until(rental) <= await self.reads.now()

    async def extend_if_due(self, job: Pubkey, rental: Rental, allowance: Allowance) -> Extended | None:
        """Extends a running rental with less than `before` seconds left; None if there was no need, or another did.

        AllowanceSpent, and what RentalPlanner.extend and sending raise.
        """
        if not is_running(rental) or paid_until(rental) - await self.reads.now() >= allowance.before:
            return None
        so_far = await self.so_far(job)
        if so_far.duration != rental.duration:
            return None  # a node that lags: what it does not show may have used up what is allowed
        left = allowance.total - so_far.spent
        if so_far.times >= allowance.extensions:
            raise AllowanceSpent(f"{so_far.times} extensions were allowed")
        try:
            plan = await self._plan(job, allowance.seconds, left, so_far.duration)
            event = (await self.send(*plan.instructions)).event(RentalExtended)
        except AlreadyExtended:
            return None
        return Extended(so_far.times + 1, so_far.spent + event.deposit_added, event.new_duration)

    async def _plan(self, job: Pubkey, seconds: int, left: int, duration: int) -> ExtendPlan:
        """Of one extension that costs at most what is `left`. AllowanceSpent, AlreadyExtended."""
        try:
            return await RentalPlanner(self.reads).extend(
                self.address, job, seconds, max_cost=left, old_duration=duration
            )
        except CostAboveMaximum as error:
            raise AllowanceSpent(error.message) from error

    async def so_far(self, job: Pubkey) -> Extended:
        """Extensions of a rental so far, read from its events on the chain."""
        so_far = Extended(0, 0, 0)
        for item in await self.session.history.events(job):
            match item.event:
                case RentalOpened():
                    so_far = Extended(0, 0, item.event.duration)
                case RentalExtended():
                    spent = so_far.spent + item.event.deposit_added
                    so_far = Extended(so_far.times + 1, spent, item.event.new_duration)
        return so_far
