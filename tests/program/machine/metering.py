"""Meters: a renter's cap, a host's reports and what becomes of both."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import invariant, precondition, rule
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.pdas import find_meter
from anchor_client.generated.types.charges import Charges
from anchor_client.generated.types.rental_state import RentalState

from ..harness import meters
from ..harness.terms import HOUR, U64_MAX
from .base import UNAVAILABLE, Machine, having, which

ANY_CHARGES = Charges(2**32 - 1, 0, 2**32 - 1)


class Metering(Machine):
    @property
    def meters(self) -> list[Pubkey]:
        return list(self.world.audit.books.meters)

    def meter(self, index: int) -> Pubkey:
        return self.meters[index % len(self.meters)]

    @precondition(having(*RentalState))
    @rule(index=which, cap=st.integers(1, 10**9), storage_gb=st.integers(0, 2_000))
    def open_meters(self, index: int, cap: int, storage_gb: int) -> None:
        """On every second rental that has none."""
        for number, rental in enumerate(self.rentals(*RentalState)):
            if number % 2 == index % 2 and self.is_unmetered(rental):
                act = meters.open_meter(self.world, rental, cap=cap, storage_gb=storage_gb, agreed=ANY_CHARGES)
                self.attempt(act, errors.NoCharges, errors.RentalExpired, *UNAVAILABLE)

    def is_unmetered(self, rental: Pubkey) -> bool:
        return not self.world.exists(find_meter(rental)[0])

    @precondition(lambda self: self.meters)
    @rule(
        index=which,
        mb=st.one_of(st.integers(0, 10**6), st.integers(0, U64_MAX)),
        share=st.integers(0, 1_100),
        pause=st.integers(0, HOUR),
        answers=st.lists(st.sampled_from(["dispute", "consent"]), max_size=2),
    )
    def report(self, index: int, mb: int, share: int, pause: int, answers: list[str]) -> None:
        """New totals, of storage up to a little more than can be, and what the renter says to them."""
        meter = self.meter(index)
        state = meters.read(self.world, meter)
        limit = state.storage_gb * (self.now - state.opened_at) // HOUR
        hours = max(state.storage_gb_hours, limit * share // 1_000)
        act = meters.report_usage(self.world, meter, min(state.bandwidth_mb + mb, U64_MAX), hours)
        self.attempt(act, errors.UsageNotGrowing, errors.StorageAboveLimit, errors.ReportTooLate)
        self.world.wait(pause)
        for answer in answers:
            if answer == "dispute":
                self.attempt(meters.dispute_usage(self.world, meter), errors.NothingToDispute)
            else:
                self.attempt(meters.accept_usage(self.world, meter), errors.NothingToAccept)

    @precondition(lambda self: self.meters)
    @rule(index=which)
    def settle_meter_twice(self, index: int) -> None:
        meter = self.meter(index)
        self.act(meters.settle_meter(self.world, meter))
        assert self.act(meters.settle_meter(self.world, meter)).events == ()

    @precondition(lambda self: self.meters)
    @rule(index=which, early=st.integers(-1, 1), given_up=st.booleans())
    def finish(self, index: int, early: int, given_up: bool) -> None:
        """The host may give up; anyone notes the end and drops what is disputed, and around its time closes the meter."""
        meter = self.meter(index)
        state = meters.read(self.world, meter)
        if given_up and state.rental in self.rentals(*RentalState):
            self.act(self.world.cancel_rental(state.rental))
        self.attempt(meters.end_meter(self.world, meter), errors.MeterEnded, errors.RentalNotEnded)
        if state.disputed:
            self.wait_until(state.disputed_at + state.charge_window - early)
            self.attempt(meters.resolve_dispute(meter), errors.DisputeOpen)
        state = meters.read(self.world, meter)
        if state.ended_at:
            self.wait_until(state.ended_at + state.charge_window - early)
        self.attempt(meters.close_meter(self.world, meter), errors.MeterRunning, errors.UsageUndecided)

    @invariant()
    def meters_are_known(self) -> None:
        for meter in self.meters:
            self.world.audit.books.meters[meter].check(meters.read(self.world, meter))

    def end_meters(self) -> None:
        """Whatever was reported and disputed, every cap is divided in the end."""
        for meter in self.meters:
            self.attempt(meters.end_meter(self.world, meter), errors.MeterEnded)
        windows = [meters.read(self.world, meter).charge_window for meter in self.meters]
        self.world.wait(2 * max(windows, default=0) + 2)
        for meter in self.meters:
            self.attempt(meters.resolve_dispute(meter), errors.NothingDisputed)
            self.act(meters.close_meter(self.world, meter)).event(events.MeterClosed)
