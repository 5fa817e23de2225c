"""Draws of each host's machines on its subsidy budget, as a reader of events alone would keep them."""

from __future__ import annotations

from dataclasses import dataclass, field

from solders.pubkey import Pubkey

from anchor_client.generated import events
from anchor_client.generated.accounts.host import Host
from anchor_client.generated.pdas import find_listing
from anchor_idl.runtime.structs import Event

from ..reference import Rates

DAY = 86_400


@dataclass(slots=True)
class Budget:
    """Subsidy that a host may draw a day, and has drawn on `day`."""

    limit: int = 0
    booked: int = 0
    day: int = 0


@dataclass(slots=True)
class Drawn:
    """A rental's subsidy, and the day whose budget it has last drawn on."""

    rates: Rates
    duration: int
    day: int
    listing: Pubkey
    started_at: int = 0
    settled: int = 0

    def used_at(self, heard_at: int) -> int:
        """Seconds that it has earned if its host was last heard from at `heard_at`."""
        return max(min(heard_at - self.started_at, self.duration), self.settled)


@dataclass(slots=True)
class Subsidies:
    hosts: dict[Pubkey, Budget] = field(default_factory=dict)
    listings: dict[Pubkey, Pubkey] = field(default_factory=dict)
    """Host of each."""
    heard_at: dict[Pubkey, int] = field(default_factory=dict)
    """When each listing was last heard from."""
    rentals: dict[Pubkey, Drawn] = field(default_factory=dict)

    def enter(self, event: Event) -> None:
        """Books an event; a subsidy that the host's budget of the day does not cover is an AssertionError."""
        match event:
            case events.HostRegistered():
                self.hosts[event.host] = Budget()
            case events.HostApproved():
                assert event.old_budget == self.hosts[event.host].limit
                self.hosts[event.host].limit = event.new_budget
            case events.ListingCreated():
                self.listings[event.listing] = event.host
            case events.ListingClosed():
                del self.listings[event.listing]
            case events.RentalOpened():
                self._open(event)
            case events.HostHeartbeat():
                for beat in event.listings:
                    self.heard_at[find_listing(event.host, beat.id)[0]] = event.at
            case events.RentalStarted():
                self.rentals[event.rental].started_at = event.at
            case events.RentalSettled():
                self.rentals[event.rental].settled = event.settled
                if event.heard:
                    self.heard_at[event.listing] = event.at
            case events.RentalExtended():
                self._extend(event)
            case events.RentalClosed():
                self._close(event)
            case _:
                return

    def check_host(self, address: Pubkey, host: Host) -> None:
        """The account says the same."""
        budget = self.hosts[address]
        assert (host.subsidy_budget, host.subsidy_booked) == (budget.limit, budget.booked)
        assert host.subsidy_day == budget.day

    def _open(self, event: events.RentalOpened) -> None:
        day = event.at // DAY if event.subsidy else 0
        rates = Rates(event.rate, event.subsidy_rate, event.burn_rate, event.fee_rate)
        self.rentals[event.rental] = Drawn(rates, event.duration, day, event.listing)
        self._book(event, event.subsidy, event.subsidy)

    def _extend(self, event: events.RentalExtended) -> None:
        drawn = self.rentals[event.rental]
        used = drawn.used_at(min(self.heard_at[drawn.listing], event.at))
        paid = drawn.duration if drawn.day == event.at // DAY else used
        amount = drawn.rates.subsidy_of(event.new_duration) - drawn.rates.subsidy_of(paid)
        drawn.duration = event.new_duration
        if event.subsidy_added:
            drawn.day = event.at // DAY
        self._book(event, event.subsidy_added, amount)

    def _book(self, event: events.RentalOpened | events.RentalExtended, subsidy: int, amount: int) -> None:
        """`amount` comes out of the day's budget for the `subsidy` that comes out of the pool."""
        budget, today = self.hosts[event.host], event.at // DAY
        if subsidy == 0:
            assert (event.host_seq, event.host_booked) == (0, 0)
            return
        if budget.day != today:
            budget.booked, budget.day = 0, today
        budget.booked += amount
        assert event.host_booked == budget.booked
        assert amount >= subsidy and budget.booked <= budget.limit

    def _close(self, event: events.RentalClosed) -> None:
        drawn, budget = self.rentals.pop(event.rental), self.hosts[event.host]
        assert event.host == self.listings[event.listing]
        if event.subsidy_returned == 0 or drawn.day != event.at // DAY:
            assert (event.host_seq, event.host_booked) == (0, 0)
            return
        budget.booked -= event.subsidy_returned
        assert budget.day == drawn.day and event.host_booked == budget.booked >= 0 < event.host_seq
