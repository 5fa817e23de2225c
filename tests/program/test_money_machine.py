"""Random acts by random actors and jumps in time; the books must balance after every one of them.

The audit checks each transaction: the money equation, vaults against their tokens, every amount against the
closed formula of its rental (so that settling in steps pays what settling once pays, and nothing is paid twice),
seqs, rents, tips and reputations. HYPOTHESIS_PROFILE selects `ci` (the default) or `nightly`.
Invariants 1 to 7, 9, 15, 16, 30 to 35, 58 to 60.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import constants, errors, events
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.market_parameter import MarketParameter as P
from anchor_client.generated.types.pause_area import PauseArea
from anchor_client.generated.types.rental_kind import RentalKind
from anchor_client.generated.types.rental_state import RentalState

from .harness.actors import (
    GPUM,
    HOST,
    KEEPER,
    LISTINGS,
    MINTS,
    RENTER,
    RIVAL,
    RIVAL_LISTING,
    STRANGER,
    TENANT,
    USDC,
    WSOL,
)
from .harness.audit.books import GIVEN_BY_HOST
from .harness.changes import post_price, respecify, set_parameter, set_paused, set_terms
from .harness.market import seeded_world
from .harness.outcome import Outcome
from .harness.spot import outbid, place_bid, preempt, register_stranger, take_over, withdraw_challenger
from .harness.terms import DAY, HOUR, ON_DEMAND_USD, RESERVED_TERMS, WSOL_PRICE, asking
from .harness.tokens import token_account
from .harness.world import World

PROFILES = {
    "ci": settings(max_examples=100, stateful_step_count=50, derandomize=True, deadline=None),
    "nightly": settings(max_examples=2_000, stateful_step_count=100, deadline=None),
}

REASONS = sorted(GIVEN_BY_HOST)
VAULTS = ((GPUM, 0), (GPUM, 1), (USDC, 0), (WSOL, 0))
OFFERED = (*LISTINGS[:3], RIVAL_LISTING)
PARAMETERS = {
    P.ORDER_MIN_USD: (0, 10_000_000),
    P.TIP_LAMPORTS: (0, 1_000_000),
    P.MIN_DURATION: (5, HOUR),
    P.MAX_DURATION: (HOUR, 100 * DAY),
    P.PROVISION_TIMEOUT: (5, 2_000),
    P.OFFLINE_AFTER: (5, 2_000),
    P.SPOT_GRACE: (1, 3_600),
    P.SPOT_INCREMENT_BPS: (1, 5_000),
    P.SPOT_FEE_BPS: (0, 3_000),
    P.ON_DEMAND_FEE_BPS: (0, 3_000),
    P.RESERVED_FEE_BPS: (0, 3_000),
    P.RESERVED_DISCOUNT_BPS: (0, 5_000),
    P.HOLDBACK_BPS: (0, 5_000),
    P.FEE_BURN_BPS: (0, 5_000),
    P.FEE_STAKERS_BPS: (0, 5_000),
}

Refusals = tuple[type[errors.ProgramError], ...]
UNAVAILABLE: Refusals = (
    errors.Paused,
    errors.ListingOccupied,
    errors.ListingOffline,
    errors.OrderBelowMinimum,
    errors.DurationTooShort,
    errors.DurationTooLong,
    errors.PriceStale,
    errors.SubsidyPoolTooSmall,
    errors.InsufficientFunds,
)

OUTDONE: Refusals = (errors.BidTooLow, errors.SelfChallenge, errors.TakeOverDue)

TOO_EARLY: Refusals = (
    errors.RentalNotExpired,
    errors.HostOnline,
    errors.ProvisioningInTime,
    errors.WrongRentalState,
)


def some_parameter(parameter: P, part: int) -> Instruction:
    low, high = PARAMETERS[parameter]
    return set_parameter(parameter, low + (high - low) * part // constants.BPS)


which = st.integers(0, 11)
renters = st.sampled_from([RENTER, TENANT])
changes = st.one_of(
    st.builds(some_parameter, st.sampled_from(sorted(PARAMETERS)), st.integers(0, constants.BPS)),
    st.builds(
        set_terms,
        st.just(GPUM),
        subsidy_bps=st.integers(0, 8_500),
        burn_bps=st.integers(0, 5_000),
        pinned_price=st.integers(10**9, 10**14),
    ),
    st.builds(set_terms, st.just(USDC), extra_fee_bps=st.integers(0, 3_000), pinned_price=st.integers(10**11, 10**13)),
    st.builds(post_price, st.integers(WSOL_PRICE // 100, WSOL_PRICE * 100)),
    st.builds(respecify, st.sampled_from(OFFERED), on_demand_usd=st.integers(2 * 10**6, 2**32 - 1)),
    st.builds(set_paused, st.sampled_from(PauseArea), st.sampled_from([False, False, True])),
)


def having(*states: RentalState) -> Callable[[MoneyMachine], bool]:
    """A precondition: some rental is in one of the states."""
    return lambda machine: bool(machine.rentals(*states))


class MoneyMachine(RuleBasedStateMachine):
    """The seeded market in the hands of everyone at once."""

    def __init__(self) -> None:
        super().__init__()
        self.world: World = seeded_world()
        register_stranger(self.world)
        self.supplies = self.held()

    def held(self) -> dict[Pubkey, int]:
        """Tokens of each mint in all token accounts there are."""
        totals = dict.fromkeys(MINTS, 0)
        for account in self.world.cluster.accounts().values():
            state = token_account(account)
            if state is not None:
                totals[state.mint] += state.amount
        return totals

    def attempt(self, act: Instruction, *refusals: type[errors.ProgramError]) -> Outcome | None:
        """Acts; only the named refusals are allowed."""
        try:
            return self.world.act(act)
        except refusals:
            return None

    def rentals(self, *states: RentalState) -> list[Pubkey]:
        """Open rentals in one of the states that hold their machine, in a stable order."""
        books = self.world.audit.books
        rentals = sorted(books.open_rentals.keys() - set(books.challengers.values()), key=bytes)
        return [rental for rental in rentals if self.world.rental(rental).state in states]

    def challenged(self) -> list[Pubkey]:
        """Listings that somebody waits for, in a stable order."""
        return sorted(self.world.audit.books.challengers, key=bytes)

    def pick(self, index: int, *states: RentalState) -> Pubkey:
        found = self.rentals(*states)
        return found[index % len(found)]

    def work(self, rental: Pubkey, seconds: int, settled: bool) -> None:
        """Time passes under heartbeats, and the host may be paid for it."""
        self.world.wait(seconds)
        self.beat()
        if settled and self.world.rental(rental).state == RentalState.RUNNING:
            self.world.act(self.world.settle_rental(rental))

    def beat(self) -> None:
        """Both hosts are heard from."""
        self.world.act(self.world.heartbeat(HOST, *OFFERED[:3]), self.world.heartbeat(RIVAL, RIVAL_LISTING))

    @rule(
        renter=renters,
        listing=st.sampled_from(OFFERED),
        vault=st.sampled_from(VAULTS),
        kind=st.sampled_from([RentalKind.ON_DEMAND, RentalKind.RESERVED]),
        seconds=st.integers(5, 3 * HOUR),
        term=st.sampled_from(RESERVED_TERMS),
    )
    def open(
        self, renter: Pubkey, listing: Pubkey, vault: tuple[Pubkey, int], kind: RentalKind, seconds: int, term: int
    ) -> None:
        mint, shard = vault
        duration = term if kind is RentalKind.RESERVED else seconds
        act = self.world.open_rental(renter, listing, mint, shard=shard, kind=kind, duration=duration)
        self.attempt(act, *UNAVAILABLE)

    @rule(renter=renters, vault=st.sampled_from(VAULTS), seconds=st.integers(HOUR, 9 * HOUR))
    def rent_at_once(self, renter: Pubkey, vault: tuple[Pubkey, int], seconds: int) -> None:
        """The usual way to a running rental, on every machine that is idle."""
        mint, shard = vault
        self.beat()
        for listing in OFFERED:
            before = set(self.world.audit.books.open_rentals)
            self.attempt(self.world.open_rental(renter, listing, mint, shard=shard, duration=seconds), *UNAVAILABLE)
            for rental in set(self.world.audit.books.open_rentals) - before:
                self.world.act(self.world.accept_rental(rental))
                self.world.act(self.world.start_rental(rental))

    @rule(
        renter=st.sampled_from([RENTER, TENANT, STRANGER]),
        listing=st.sampled_from(OFFERED),
        vault=st.sampled_from(VAULTS),
        kind=st.sampled_from([RentalKind.SPOT, RentalKind.SPOT, RentalKind.ON_DEMAND]),
        usd=st.integers(1_900_000, 6_000_000),
        seconds=st.integers(HOUR, 9 * HOUR),
    )
    def bid(
        self, renter: Pubkey, listing: Pubkey, vault: tuple[Pubkey, int], kind: RentalKind, usd: int, seconds: int
    ) -> None:
        """An order for a machine, whoever is in its way; one that takes it is started."""
        self.beat()
        state, (mint, shard) = self.world.listing(listing), vault
        offer = usd if kind is RentalKind.SPOT else 0
        order: dict[str, Any] = {"mint": mint, "shard": shard, "kind": kind, "bid": offer, "duration": seconds}
        if state.current == Pubkey.default():
            opening = self.world.open_rental(renter, listing, **order)
            if self.attempt(opening, *UNAVAILABLE) is not None:
                rental = self.world.listing(listing).current
                self.world.act(self.world.accept_rental(rental), self.world.start_rental(rental))
            return
        place = place_bid if state.challenger == Pubkey.default() else outbid
        self.attempt(place(self.world, renter, listing=listing, **order), *OUTDONE, *UNAVAILABLE)

    @rule(
        turns=st.permutations([RENTER, TENANT, STRANGER]),
        paid=st.lists(st.sampled_from(VAULTS), min_size=3, max_size=3),
        last=st.sampled_from(RentalKind),
        pauses=st.lists(st.integers(0, 120), min_size=3, max_size=3),
        decided=st.booleans(),
    )
    def contest(
        self, turns: list[Pubkey], paid: list[tuple[Pubkey, int]], last: RentalKind, pauses: list[int], decided: bool
    ) -> None:
        """Three renters in a row want each machine, the last one in any way; if `decided`, whoever is due gets it."""
        usd = 1_900_000
        for listing in OFFERED:
            for renter, vault, kind, pause in zip(turns, paid, (RentalKind.SPOT,) * 2 + (last,), pauses, strict=True):
                self.bid(renter, listing, vault, kind, usd, RESERVED_TERMS[0])
                usd += usd // 2
                self.world.wait(pause)
            if decided and listing in self.challenged():
                self.preempt(self.challenged().index(listing), 0, KEEPER)

    @precondition(lambda self: self.challenged())
    @rule(index=which, early=st.integers(-200, 200), keeper=st.sampled_from([KEEPER, RENTER, HOST]))
    def preempt(self, index: int, early: int, keeper: Pubkey) -> None:
        """Somebody tries to hand a machine over around the end of its holder's grace."""
        listing = self.challenged()[index % len(self.challenged())]
        self.world.wait(max(0, self.world.listing(listing).preempt_at - early - self.world.now))
        self.beat()
        if self.world.listing(listing).current != Pubkey.default():
            early_or_late = (errors.GraceNotOver, errors.RentalExpired, errors.ListingOffline)
            self.attempt(preempt(self.world, listing, signer=keeper), *early_or_late)
        else:
            self.attempt(take_over(self.world, listing), errors.ListingOffline)

    @precondition(lambda self: self.challenged())
    @rule(index=which, seconds=st.integers(0, HOUR), own=st.booleans())
    def withdraw(self, index: int, seconds: int, own: bool) -> None:
        """The order that waits is taken back, by its renter or by anyone."""
        self.world.wait(seconds)
        listing = self.challenged()[index % len(self.challenged())]
        rental = self.world.listing(listing).challenger
        signer = self.world.rental(rental).renter if own else KEEPER
        act = withdraw_challenger(self.world, rental, signer=signer)
        self.attempt(act, *(() if own else (errors.ChallengerInTime,)))

    @rule(
        renter=renters,
        vault=st.sampled_from(VAULTS),
        kind=st.sampled_from([RentalKind.ON_DEMAND, RentalKind.RESERVED]),
        seconds=st.integers(5, 3 * HOUR),
        term=st.sampled_from(RESERVED_TERMS),
        usd=st.sampled_from([ON_DEMAND_USD - 1, ON_DEMAND_USD, 10 * ON_DEMAND_USD, 2**32 - 1]),
        deposit=st.sampled_from([10**9, 10**11, 10**13]),
        wait=st.integers(HOUR, DAY),
    )
    def ask(
        self,
        renter: Pubkey,
        vault: tuple[Pubkey, int],
        kind: RentalKind,
        seconds: int,
        term: int,
        usd: int,
        deposit: int,
        wait: int,
    ) -> None:
        mint, shard = vault
        order = asking(
            kind=kind,
            duration=term if kind is RentalKind.RESERVED else seconds,
            max_usd=usd,
            deposit=deposit,
            expires_at=self.world.now + wait,
        )
        act = self.world.open_request(renter, mint, order, shard=shard)
        self.attempt(act, errors.DepositTooSmall, *UNAVAILABLE)

    @precondition(lambda self: bool(self.world.audit.books.open_requests))
    @rule(
        listing=st.sampled_from(OFFERED), keeper=st.sampled_from([KEEPER, RENTER, HOST]), seconds=st.integers(0, HOUR)
    )
    def serve(self, listing: Pubkey, keeper: Pubkey, seconds: int) -> None:
        """Somebody tries a machine on every request, and to end each; its renter may withdraw in between."""
        self.world.wait(seconds)
        self.beat()
        for number, request in enumerate(sorted(self.world.audit.books.open_requests, key=bytes)):
            self.attempt(
                self.world.match_request(request, listing, signer=keeper),
                errors.RequestOver,
                errors.CostAboveMaximum,
                *UNAVAILABLE,
            )
            if self.world.exists(request):
                self.attempt(self.world.expire_request(request, signer=keeper), errors.RequestNotExpired)
            if self.world.exists(request) and number % 3 == 2:
                self.world.act(self.world.cancel_request(request))

    @precondition(having(RentalState.QUEUED))
    @rule(index=which)
    def accept(self, index: int) -> None:
        self.world.act(self.world.accept_rental(self.pick(index, RentalState.QUEUED)))

    @precondition(having(RentalState.PROVISIONING))
    @rule(index=which)
    def start(self, index: int) -> None:
        act = self.world.start_rental(self.pick(index, RentalState.PROVISIONING))
        self.attempt(act, errors.ListingOffline, errors.ProvisioningOverdue)

    @precondition(having(RentalState.RUNNING))
    @rule(index=which, seconds=st.integers(1, 2 * HOUR), term=st.sampled_from(RESERVED_TERMS))
    def extend(self, index: int, seconds: int, term: int) -> None:
        rental = self.pick(index, RentalState.RUNNING)
        reserved = self.world.rental(rental).kind == RentalKind.RESERVED
        act = self.world.extend_rental(rental, term if reserved else seconds)
        self.attempt(act, errors.RentalExpired, errors.RentalChallenged, *UNAVAILABLE)

    @precondition(having(RentalState.RUNNING))
    @rule(index=which, seconds=st.integers(0, HOUR))
    def work_and_settle_twice(self, index: int, seconds: int) -> None:
        self.world.wait(seconds)
        self.beat()
        rental = self.pick(index, RentalState.RUNNING)
        self.world.act(self.world.settle_rental(rental))
        before = self.world.rental(rental), self.held()
        assert self.world.act(self.world.settle_rental(rental)).events == ()
        assert before == (self.world.rental(rental), self.held())

    @precondition(having(RentalState.RUNNING))
    @rule(index=which, rating=st.integers(1, 5))
    def rate(self, index: int, rating: int) -> None:
        act = self.world.rate_rental(self.pick(index, RentalState.RUNNING), rating)
        self.attempt(act, errors.AlreadyRated, errors.RatedTooSoon)

    @rule(brought=st.lists(st.sampled_from(LISTINGS), max_size=10))
    def count(self, brought: list[Pubkey]) -> None:
        """Somebody brings some of the host's machines to be counted, and all of its rival's."""
        self.world.act(self.world.update_reputation(HOST, *brought), self.world.update_reputation(RIVAL, RIVAL_LISTING))

    @precondition(having(*RentalState))
    @rule(index=which, seconds=st.integers(0, HOUR), settled=st.booleans())
    def stop(self, index: int, seconds: int, settled: bool) -> None:
        rental = self.pick(index, *RentalState)
        self.work(rental, seconds, settled)
        self.attempt(self.world.stop_rental(rental), errors.RentalExpired)

    @precondition(having(*RentalState))
    @rule(index=which, seconds=st.integers(0, HOUR), settled=st.booleans(), reason=st.sampled_from(REASONS))
    def cancel(self, index: int, seconds: int, settled: bool, reason: CloseReason) -> None:
        rental = self.pick(index, *RentalState)
        self.work(rental, seconds, settled)
        self.world.act(self.world.cancel_rental(rental, reason))

    @precondition(having(*RentalState))
    @rule(
        index=which, keeper=st.sampled_from([KEEPER, RENTER, HOST]), seconds=st.integers(0, HOUR), settled=st.booleans()
    )
    def crank(self, index: int, keeper: Pubkey, seconds: int, settled: bool) -> None:
        """Somebody tries all that anyone may do to a rental, some time after its host was heard from."""
        rental = self.pick(index, *RentalState)
        self.work(rental, 60, settled)
        self.world.wait(seconds)
        ends = (self.world.finalize_rental, self.world.report_offline, self.world.cancel_unstarted)
        for end in ends:
            if self.world.exists(rental):
                self.attempt(end(rental, signer=keeper), *TOO_EARLY)

    @precondition(having(RentalState.RUNNING))
    @rule(index=which, early=st.integers(0, 1_000), settled=st.booleans(), late=st.integers(0, DAY))
    def expire(self, index: int, early: int, settled: bool, late: int) -> None:
        """The paid time runs out, the host being heard from until `early` seconds before its end."""
        rental = self.pick(index, RentalState.RUNNING)
        state = self.world.rental(rental)
        end = state.started_at + state.duration
        self.work(rental, max(0, end - early - self.world.now), settled)
        self.world.wait(max(0, end + late - self.world.now))
        self.world.act(self.world.finalize_rental(rental))

    @rule(seconds=st.one_of(st.integers(1, 400), st.integers(400, 2 * HOUR), st.integers(DAY, 40 * DAY)))
    def silence(self, seconds: int) -> None:
        self.world.wait(seconds)

    @rule(change=changes)
    def govern(self, change: Instruction) -> None:
        self.attempt(change, errors.ParameterOutOfBounds, errors.Paused)

    @rule(amount=st.integers(1, 10**12), shard=st.sampled_from([0, 1]))
    def fund(self, amount: int, shard: int) -> None:
        self.attempt(self.world.fund_subsidy(STRANGER, amount, shard), errors.InsufficientFunds)

    @precondition(lambda self: any(vault.fees_due for vault in self.world.audit.books.vaults.values()))
    @rule()
    def sweep(self) -> None:
        for mint, shard in VAULTS:
            self.attempt(self.world.sweep_fees(mint, shard), errors.ZeroAmount)

    @invariant()
    def tokens_are_conserved(self) -> None:
        """What wallets and vaults hold changes by what was burned, and by nothing else."""
        vaults = self.world.audit.books.vaults.values()
        burned = {mint: sum(vault.total_burned for vault in vaults if vault.mint == mint) for mint in MINTS}
        assert self.held() == {mint: self.supplies[mint] - burned[mint] for mint in MINTS}

    def teardown(self) -> None:
        """Whatever state the market is left in, everybody gets what is theirs."""
        self.world.wait(200 * DAY)
        for rental in self.rentals(*RentalState):
            running = self.world.rental(rental).state == RentalState.RUNNING
            end = self.world.finalize_rental if running else self.world.cancel_unstarted
            self.world.act(end(rental)).event(events.RentalClosed)
        for listing in self.challenged():
            self.world.act(withdraw_challenger(self.world, self.world.listing(listing).challenger, signer=KEEPER))
        for request in sorted(self.world.audit.books.open_requests, key=bytes):
            self.world.act(self.world.expire_request(request)).event(events.RequestExpired)
        for vault in self.world.audit.books.vaults.values():
            assert (vault.liabilities, vault.open_rentals) == (0, 0)
        self.tokens_are_conserved()


MoneyMachine.TestCase.settings = PROFILES[os.environ.get("HYPOTHESIS_PROFILE", "ci")]
TestMoneyMachine = MoneyMachine.TestCase
