"""One machine and its successive tenants."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import structlog
from solders.pubkey import Pubkey

from anchor_client.errors import GpuMarketError, InsufficientLamports, InvalidOrder, OrderNotSealed, UnknownJob
from anchor_client.generated.accounts import Listing, Rental
from anchor_client.generated.events import RentalSettled
from anchor_client.generated.types import CloseReason, RentalState
from anchor_client.market import Market
from anchor_client.market.rental.note import Note
from anchor_client.orders import OrderDocument
from anchor_client.rules.listing import has_challenger, is_idle
from anchor_client.rules.rental import is_running, least_charge, paid_until, shown_until
from anchor_client.rules.waits import median_wait, with_wait
from host_agent.errors import MachineFault, OrderRefused, OrderUndelivered, OrderUnwanted
from host_agent.listings.overlap import Neighbour, Use
from host_agent.machine import Machine
from host_agent.metering import Metering
from host_agent.metrics import FAILED, IDLE, RENTED, UNFIT, HostMetrics
from host_agent.orders import OrderReader
from host_agent.pace import HostPace
from host_agent.words import for_renters

TAKE_BACK_SECONDS: Final = 5
"""Delay from the end of the paid time to reclaiming the machine: a last-moment extension may arrive late."""
ABANDONED_SECONDS: Final = 60
"""Delay from the end of the paid time to a tenant's end without an agent."""
RETRY_SECONDS: Final = 5.0
"""Wait before a retry."""
WITHOUT_SOL_SECONDS: Final = 60.0
"""The same for an act that the wallet cannot pay."""
START_SECONDS: Final = 60.0
"""Kept of the time to start an order for the start itself: an order whose image or workspace has not arrived by then is
refused, since one that is not started in time counts against the host.
"""
END_SECONDS: Final = 60.0
"""Maximum time for a tenant to save their work after the rental's end."""
FIRST_SETTLEMENT_SECONDS: Final = 2.0
"""Delay from the start to the first settlement."""
ORDER_POLL_SECONDS: Final = 2.0
"""Interval between checks for an order that has not arrived."""
FORGOTTEN_SECONDS: Final = 120.0
"""Time without any trace of a rental on a node, history included, before it counts as ended."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ListingView:
    """A listing and its rentals as read at `now`, the cluster's unix seconds."""

    listing: Listing
    rentals: Mapping[Pubkey, Rental]
    now: int
    neighbour: Neighbour = Neighbour.NONE
    """Use of its GPUs by orders of other listings."""

    @property
    def occupant(self) -> Pubkey | None:
        """The rental that holds the machine; None once its paid time is over."""
        rental = self.rentals.get(self.listing.current)
        return None if rental is None or self.is_over(rental) else self.listing.current

    @property
    def ends_in(self) -> float | None:
        """Seconds until the machine is reclaimed from its occupant; None if no rental runs."""
        occupant = self.occupant
        rental = None if occupant is None else self.rentals[occupant]
        if rental is None or not is_running(rental):
            return None
        return _taken_back_at(rental) - self.now

    def is_over(self, rental: Rental) -> bool:
        """True if a running rental's paid time has ended, and the machine is due to be reclaimed."""
        return is_running(rental) and self.now >= _taken_back_at(rental)


class Tenancy:
    """Gives a machine to its listing's current rental, and reclaims it. Failures are logged, and retried at the next
    check; one that ends the rental is reported to its renter.
    """

    def __init__(
        self,
        address: Pubkey,
        machine: Machine,
        market: Market,
        orders: OrderReader,
        pace: HostPace,
        metrics: HostMetrics | None = None,
    ) -> None:
        self.machine = machine
        self._works = True
        """False while an earlier tenant's data cannot be wiped."""
        self.pace = pace
        self._address = address
        self._market = market
        self._orders = orders
        self._metrics = metrics or HostMetrics()
        self._metering = Metering(address, machine, market)
        self._recovered = False
        self._credits = ""
        """Seconds from orders to first payments, of the last rentals."""
        self._saved: Pubkey | None = None
        """The rental whose checkpoint command has been started."""
        self._unknown_since: float | None = None
        self._log = log.bind(listing=str(address))

    @property
    def is_healthy(self) -> bool:
        """True while the machine can be rented, or a tenant has it: faults of its hardware keep the next one away."""
        return self._works and (self.machine.tenant is not None or not self.machine.faults)

    @property
    def state(self) -> str:
        """The listing's state, of STATES."""
        if not self._works:
            return FAILED
        if self.machine.tenant is not None:
            return RENTED
        return UNFIT if self.machine.faults else IDLE

    def use(self, view: ListingView) -> Use:
        """Use of the listing, which decides whose order has GPUs that several listings share."""
        order = view.occupant
        if order is None and view.listing.challenger in view.rentals:
            order = view.listing.challenger
        if order is None:
            return Use(None, self.machine.tenant, False, 0)
        rental = view.rentals[order]
        is_accepted = is_running(rental) or rental.state == RentalState.PROVISIONING
        return Use(order, self.machine.tenant, is_accepted, rental.created_at)

    async def attend(self, view: ListingView, *, leaves: bool = False) -> float | None:
        """Does what is due. Returns the delay until the next check in seconds; None to wait for the listing to change.

        With `leaves`, because another key operates the listing, only what its tenant's end needs.

        Errors of the machine and the market are logged, not raised.
        """
        try:
            again = await (self._leave(view) if leaves else self._attend(view))
            self._works = True
        except MachineFault as error:
            self._works = False
            again = RETRY_SECONDS
            self._log.error("machine_failed", error=error.message, remedy=error.remedy)
        except GpuMarketError as error:
            again = WITHOUT_SOL_SECONDS if isinstance(error, InsufficientLamports) else RETRY_SECONDS
            self._log.warning("tenancy_failed", rental=str(view.occupant), error=error.message, remedy=error.remedy)
        return again

    async def _recover(self) -> None:
        if not self._recovered:
            await self.machine.recover()
            self._recovered = True

    async def _attend(self, view: ListingView) -> float | None:
        await self._recover()
        await self._metering.catch_up()
        occupant = view.occupant
        tenant = self.machine.tenant
        if tenant is not None and tenant != occupant and await self._has_ended(tenant, view):
            await self._save(tenant, END_SECONDS)
            await self._metering.finish(tenant)
            await self.machine.vacate()
            self._log.info("machine_wiped", rental=str(tenant))
        if occupant is not None:
            if not has_challenger(view.listing):
                # An order that waited has left: the next one, or the end, finds newer work to save.
                self._saved = None
            elif is_running(view.rentals[occupant]) and occupant == tenant:
                await self._save(occupant, view.listing.preempt_at - view.now)
            return await self._serve(occupant, view.rentals[occupant], view.now, view.neighbour)
        if view.listing.owed > 0:
            # It takes no order before; this also makes the owner's account.
            await self._market.host.claim_payout(self._address)
            self._log.info("payout_claimed", amount=view.listing.owed)
            return 0
        waiting = view.rentals.get(view.listing.challenger)
        if is_idle(view.listing) and waiting is not None:
            await self._market.spot.take_over(self._address)
        elif self.machine.tenant is None:
            await self.machine.idle()
        return None

    async def _leave(self, view: ListingView) -> None:
        """Keeps a tenant until the paid time ends, and wipes it once its rental has ended."""
        await self._recover()
        tenant = self.machine.tenant
        if tenant is None:
            return
        if tenant == view.occupant and is_running(view.rentals[tenant]):
            # Its disk is still limited here, and its renter connected.
            await self.machine.holds(tenant)
            self.machine.keep_for(paid_until(view.rentals[tenant]) - view.now + ABANDONED_SECONDS)
        elif tenant != view.occupant and await self._has_ended(tenant, view):
            await self._save(tenant, END_SECONDS)
            await self.machine.vacate()
            self._log.info("machine_wiped", rental=str(tenant))

    async def _save(self, tenant: Pubkey, seconds: float) -> None:
        """Runs the tenant's checkpoint once: before another tenant takes the machine, or else at the end."""
        if self._saved != tenant and seconds > 0:
            self._saved = tenant
            try:
                await self.machine.checkpoint(tenant, seconds)
            except MachineFault as error:
                self._log.warning("checkpoint_failed", rental=str(tenant), error=error.message)

    async def _has_ended(self, tenant: Pubkey, view: ListingView) -> bool:
        """True if a tenant's rental has ended, according to its account or the event that closed it. A node without the
        account proves nothing at first: it may lag behind the one that took the order.
        """
        rental = view.rentals.get(tenant)
        if rental is not None:
            self._unknown_since = None
            return view.is_over(rental)
        try:
            return (await self._market.jobs.get(tenant)).status.is_final
        except UnknownJob:
            self._unknown_since = self._unknown_since or time.monotonic()
            return time.monotonic() - self._unknown_since >= FORGOTTEN_SECONDS

    async def _serve(self, address: Pubkey, rental: Rental, now: int, neighbour: Neighbour) -> float | None:
        if self.machine.tenant not in (None, address):
            return RETRY_SECONDS
        if is_running(rental):
            return await self._keep(address, rental, now)
        if neighbour is Neighbour.UNWIPED:
            return RETRY_SECONDS
        order: OrderDocument | None = None
        try:
            order = await self._orders.order(rental)
            if order is None:
                self._log.info("order_awaited", rental=str(address))
                return ORDER_POLL_SECONDS
            if neighbour is Neighbour.PRESENT:
                raise OrderUnwanted("An order of a larger or smaller part of this machine came first")
            if rental.state == RentalState.PROVISIONING:
                await self._provision(address, rental, order, now)
                return FIRST_SETTLEMENT_SECONDS
            sealed = self.machine.connection(address, order).sealed(order.renter_public_key)
            await self.machine.examine(order)
        except OrderUndelivered as error:
            await self._give_up(address, CloseReason.ORDER_UNDELIVERED, error)
            return None
        except (InvalidOrder, OrderNotSealed) as error:
            await self._give_up(address, CloseReason.ORDER_UNREADABLE, error, order)
            return None
        except OrderUnwanted as error:
            await self._give_up(address, CloseReason.ORDER_REFUSED, error, order)
            return None
        except OrderRefused as error:
            await self._give_up(address, CloseReason.ORDER_UNRUNNABLE, error, order)
            return None
        await self._market.rental.accept(address, sealed)
        self._log.info("rental_accepted", rental=str(address))
        return 0

    async def _provision(self, address: Pubkey, rental: Rental, order: OrderDocument, now: int) -> None:
        begun = time.monotonic()
        self.machine.keep_for(rental.duration + ABANDONED_SECONDS)
        try:
            within = seconds_to_arrive(rental, now)
            await self.machine.provision(address, order, until_exit=rental.may_finish != 0, within=within)
        except MachineFault as error:
            await self._give_up(address, CloseReason.HOST_FAULT, error, order)
            raise
        await self._market.rental.start(address)
        self._log.info("rental_started", rental=str(address), seconds=round(time.monotonic() - begun, 1))

    async def _keep(self, address: Pubkey, rental: Rental, now: int) -> float | None:
        """The first settlement is immediate, so that the host sees its money; it counts as a heartbeat."""
        if not await self.machine.holds(address):
            await self._give_up(address, CloseReason.HOST_FAULT, MachineFault("The machine has lost its tenant"))
            return None
        self.machine.keep_for(paid_until(rental) - now + ABANDONED_SECONDS)
        if rental.may_finish and (code := await self.machine.exit_code(address)) is not None:
            return await self._finish(address, rental, now, code)
        unsettled = shown_until(rental, now) - rental.settled
        is_first = rental.settled == 0
        if unsettled >= (1 if is_first else self.pace.settle_after(rental.rate_usd)):
            sent = await self._market.rental.settle(address)
            paid = next((event for event in sent.events if isinstance(event, RentalSettled)), None)
            if paid is not None:  # otherwise somebody else has had it paid meanwhile
                self._metrics.tell_settled(rental.rate_usd, paid.settled - rental.settled)
                if is_first:
                    self._tell_credit(address, rental, paid)
        elif is_first:
            return FIRST_SETTLEMENT_SECONDS
        await self._metering.look(address, rental, now)
        return None

    def _tell_credit(self, address: Pubkey, rental: Rental, paid: RentalSettled) -> None:
        """Logs the time from the renter's payment to the host's first payment, by the chain's clock."""
        waited = rental.started_at + paid.settled - rental.created_at
        self._credits = with_wait(self._credits, waited)
        median = median_wait(self._credits)
        self._log.info("rental_credited", rental=str(address), seconds=waited, median_seconds=median)

    async def _finish(self, address: Pubkey, rental: Rental, now: int, exit_code: int) -> float:
        """Ends a rental whose command has ended, once its minimum charge is used up."""
        left = rental.started_at + least_charge(rental) - now
        if left > 0:
            return left
        await self._market.rental.finish(address, exit_code)
        self._log.info("rental_finished", rental=str(address), exit_code=exit_code)
        return 0

    async def _give_up(
        self, address: Pubkey, reason: CloseReason, error: GpuMarketError, order: OrderDocument | None = None
    ) -> None:
        """Ends a rental, and sends its renter the reason if their order has a key."""
        self._log.warning("rental_given_up", rental=str(address), reason=reason.name.lower(), error=error.message)
        note = None
        if order is not None:
            note = Note(for_renters(error.message), order.renter_public_key)
        await self._market.rental.cancel(address, reason, note)


def seconds_to_arrive(rental: Rental, now: int) -> float | None:
    """Time for the image and the workspace of an order that is to be started; None once it is late anyway."""
    left = rental.created_at + rental.provision_timeout - now
    return max(left - START_SECONDS, left / 2) if left > 0 else None


def _taken_back_at(rental: Rental) -> int:
    return paid_until(rental) + TAKE_BACK_SECONDS
