"""Random acts on meters by everyone and jumps in time; the audit checks every transaction, and the cap is divided.

HYPOTHESIS_PROFILE selects `ci` (the default) or `nightly`. Invariants 1 to 7, 41 to 44.
"""

from __future__ import annotations

import os

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.types.charges import Charges

from .harness import meters
from .harness.actors import LISTINGS, MINTS
from .harness.market import seeded_world
from .harness.meters import CHARGES, WINDOW
from .harness.outcome import Outcome
from .harness.terms import DAY, HOUR, U64_MAX
from .harness.world import World

PROFILES = {
    "ci": settings(max_examples=60, stateful_step_count=50, derandomize=True, deadline=None),
    "nightly": settings(max_examples=3_000, stateful_step_count=100, deadline=None),
}
OPEN_AT_ONCE = 3

which = st.integers(0, 5)


class MeterMachine(RuleBasedStateMachine):
    """A renter's meters, reported by their host."""

    def __init__(self) -> None:
        super().__init__()
        self.world: World = seeded_world()
        self.world.act(*(meters.set_charges(listing) for listing in LISTINGS[:OPEN_AT_ONCE]))

    def attempt(self, act: Instruction, *refusals: type[errors.ProgramError]) -> Outcome | None:
        try:
            return self.world.act(act)
        except refusals:
            return None

    @property
    def meters(self) -> list[Pubkey]:
        return sorted(self.world.audit.books.meters, key=bytes)

    def pick(self, index: int) -> Pubkey:
        return self.meters[index % len(self.meters)]

    @precondition(lambda self: len(self.meters) < OPEN_AT_ONCE)
    @rule(mint=st.sampled_from(MINTS), cap=st.integers(1, 10**9), storage_gb=st.integers(0, 2_000))
    def open(self, mint: Pubkey, cap: int, storage_gb: int) -> None:
        self.world.act(self.world.heartbeat(meters.HOST, *LISTINGS[:OPEN_AT_ONCE]))
        free = next((each for each in LISTINGS[:OPEN_AT_ONCE] if each not in self.world.audit.books.occupants), None)
        if free is None:
            return
        before = set(self.world.audit.books.open_rentals)
        if self.attempt(self.world.open_rental(listing=free, mint=mint), errors.PriceStale) is None:
            return
        (rental,) = set(self.world.audit.books.open_rentals) - before
        agreed = Charges(2**32 - 1, 0, 2**32 - 1)
        self.world.act(meters.open_meter(self.world, rental, cap=cap, storage_gb=storage_gb, agreed=agreed))

    @precondition(lambda self: self.meters)
    @rule(
        index=which,
        mb=st.one_of(st.integers(0, 10**6), st.integers(0, U64_MAX)),
        share=st.integers(0, 1_100),
    )
    def report(self, index: int, mb: int, share: int) -> None:
        """New totals, of storage up to a little more than can be."""
        meter = self.pick(index)
        state = meters.read(self.world, meter)
        limit = state.storage_gb * (self.world.now - state.opened_at) // HOUR
        hours = max(state.storage_gb_hours, limit * share // 1_000)
        act = meters.report_usage(self.world, meter, min(state.bandwidth_mb + mb, U64_MAX), hours)
        self.attempt(act, errors.UsageNotGrowing, errors.StorageAboveLimit, errors.ReportTooLate)

    @precondition(lambda self: self.meters)
    @rule(index=which)
    def dispute(self, index: int) -> None:
        self.attempt(meters.dispute_usage(self.world, self.pick(index)), errors.NothingToDispute)

    @precondition(lambda self: self.meters)
    @rule(index=which)
    def accept(self, index: int) -> None:
        self.attempt(meters.accept_usage(self.world, self.pick(index)), errors.NothingToAccept)

    @precondition(lambda self: self.meters)
    @rule(index=which)
    def resolve(self, index: int) -> None:
        self.attempt(meters.resolve_dispute(self.pick(index)), errors.NothingDisputed, errors.DisputeOpen)

    @precondition(lambda self: self.meters)
    @rule(index=which)
    def settle_twice(self, index: int) -> None:
        meter = self.pick(index)
        self.world.act(meters.settle_meter(self.world, meter))
        assert self.world.act(meters.settle_meter(self.world, meter)).events == ()

    @precondition(lambda self: self.meters)
    @rule(index=which)
    def end(self, index: int) -> None:
        """The host gives the rental up if it is still there, and anyone notes the end."""
        meter = self.pick(index)
        rental = meters.read(self.world, meter).rental
        if self.world.exists(rental):
            self.world.act(self.world.cancel_rental(rental))
        self.attempt(meters.end_meter(self.world, meter), errors.MeterEnded)

    @precondition(lambda self: self.meters)
    @rule(index=which)
    def close(self, index: int) -> None:
        act = meters.close_meter(self.world, self.pick(index))
        self.attempt(act, errors.MeterRunning, errors.UsageUndecided)

    @rule(free_gb=st.integers(0, 100), bandwidth_usd=st.integers(1, 2**32 - 1))
    def change_charges(self, free_gb: int, bandwidth_usd: int) -> None:
        charges = Charges(bandwidth_usd, free_gb, CHARGES.storage_usd)
        self.world.act(*(meters.set_charges(listing, charges) for listing in LISTINGS[:OPEN_AT_ONCE]))

    @rule(seconds=st.one_of(st.integers(1, HOUR), st.integers(WINDOW - 1, WINDOW + 1), st.integers(DAY, 3 * DAY)))
    def wait(self, seconds: int) -> None:
        self.world.wait(seconds)

    @invariant()
    def meters_are_known(self) -> None:
        for meter in self.meters:
            self.world.audit.books.meters[meter].check(meters.read(self.world, meter))

    def teardown(self) -> None:
        """Whatever was reported and disputed, every cap is divided in the end."""
        for index in range(len(self.meters)):
            self.end(index)
        self.world.wait(2 * WINDOW)
        for meter in self.meters:
            self.attempt(meters.resolve_dispute(meter), errors.NothingDisputed)
            self.world.wait(1)
            self.world.act(meters.close_meter(self.world, meter)).event(events.MeterClosed)
        for rental in sorted(self.world.audit.books.open_rentals, key=bytes):
            self.world.act(self.world.cancel_rental(rental))
        for vault in self.world.audit.books.vaults.values():
            assert (vault.liabilities, vault.open_rentals) == (0, 0)


MeterMachine.TestCase.settings = PROFILES[os.environ.get("HYPOTHESIS_PROFILE", "ci")]
TestMeterMachine = MeterMachine.TestCase
