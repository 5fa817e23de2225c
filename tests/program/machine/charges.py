"""Meters: a renter's cap, a host's reports and what becomes of both."""

from __future__ import annotations

from hypothesis import strategies as st
from hypothesis.stateful import invariant, rule
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.pdas import find_meter
from anchor_client.generated.types.charges import Charges
from anchor_client.generated.types.rental_state import RentalState

from ..harness import charges
from ..harness.charges import WINDOW
from ..harness.terms import HOUR, U64_MAX
from .base import UNAVAILABLE, which
from .rental import RentalRules

ANY_CHARGES = Charges(2**32 - 1, 0, 2**32 - 1)

steps = st.tuples(
    st.sampled_from(["report", "report", "dispute", "consent", "resolve", "settle", "end", "close"]),
    st.one_of(st.integers(0, 10**6), st.integers(0, U64_MAX)),
    st.integers(0, 1_100),
    st.one_of(st.integers(0, HOUR), st.integers(WINDOW - 1, WINDOW + 1)),
)
"""An act on a meter; MB and the share of GB-hours that are reported, in thousandths; and a pause before."""


class ChargesRules(RentalRules):
    @property
    def meters(self) -> list[Pubkey]:
        return list(self.world.audit.books.meters)

    @rule(index=which, cap=st.integers(1, 10**9), storage_gb=st.integers(0, 2_000))
    def open_meters(self, index: int, cap: int, storage_gb: int) -> None:
        """On every second rental that has none."""
        self.running(index)
        for number, rental in enumerate(self.rentals(*RentalState)):
            if number % 2 == index % 2 and not self.world.exists(find_meter(rental)[0]):
                act = charges.open_meter(self.world, rental, cap=cap, storage_gb=storage_gb, agreed=ANY_CHARGES)
                self.attempt(act, errors.NoCharges, errors.RentalExpired, *UNAVAILABLE)

    @rule(index=which, story=st.lists(steps, min_size=1, max_size=8))
    def use_meter(self, index: int, story: list[tuple[str, int, int, int]]) -> None:
        if not self.meters:
            self.open_meters(index, 10**9, 100)
        for step, mb, share, pause in story:
            if self.meters:
                self.world.wait(pause)
                self.step(self.meters[index % len(self.meters)], step, mb, share)

    def step(self, meter: Pubkey, step: str, mb: int, share: int) -> None:
        """One act on a meter, after those without which it would be about nothing."""
        if step == "resolve" and not charges.read(self.world, meter).disputed:
            self.step(meter, "dispute", mb, share)
        if step in ("dispute", "consent") and not charges.read(self.world, meter).pending:
            self.report(meter, mb, share)
        state = charges.read(self.world, meter)
        match step:
            case "report":
                self.report(meter, mb, share)
            case "dispute":
                self.attempt(charges.dispute_usage(self.world, meter), errors.NothingToDispute)
            case "consent":
                self.attempt(charges.accept_usage(self.world, meter), errors.NothingToAccept)
            case "resolve":
                if state.disputed:
                    self.wait_until(state.disputed_at + state.charge_window + share % 3 - 1)
                self.attempt(charges.resolve_dispute(meter), errors.NothingDisputed, errors.DisputeOpen)
            case "settle":
                self.act(charges.settle_meter(self.world, meter))
                assert self.act(charges.settle_meter(self.world, meter)).events == ()
            case "end":
                if state.rental in self.rentals(*RentalState):
                    self.act(self.world.cancel_rental(state.rental))
            case "close":
                self.attempt(charges.close_meter(self.world, meter), errors.MeterRunning, errors.UsageUndecided)

    def report(self, meter: Pubkey, mb: int, share: int) -> None:
        """New totals, of storage up to a little more than can be."""
        state = charges.read(self.world, meter)
        limit = state.storage_gb * (self.now - state.opened_at) // HOUR
        hours = max(state.storage_gb_hours, limit * share // 1_000)
        act = charges.report_usage(self.world, meter, min(state.bandwidth_mb + mb, U64_MAX), hours)
        refusals = (errors.RentalNotStarted, errors.UsageNotGrowing, errors.StorageAboveLimit, errors.ReportTooLate)
        self.attempt(act, *refusals)

    @invariant()
    def meters_are_known(self) -> None:
        for meter in self.meters:
            self.world.audit.books.meters[meter].check(charges.read(self.world, meter))

    def close_meters(self) -> None:
        """Whatever was reported and disputed, every cap is divided in the end."""
        windows = [charges.read(self.world, meter).charge_window for meter in self.meters]
        self.world.wait(2 * max(windows, default=0) + 2)
        for meter in self.meters:
            self.attempt(charges.resolve_dispute(meter), errors.NothingDisputed)
            self.act(charges.close_meter(self.world, meter)).event(events.MeterClosed)
