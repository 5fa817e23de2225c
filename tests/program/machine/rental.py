"""Rentals on demand and reserved, from the order to their end."""

from __future__ import annotations

from collections.abc import Callable

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.rental_issue import RentalIssue
from anchor_client.generated.types.rental_kind import RentalKind
from anchor_client.generated.types.rental_state import RentalState
from anchor_client.rules.listing import is_silent

from ..harness.actors import KEEPER, WSOL
from ..harness.audit.reasons import GIVEN_BY_HOST, REFUSALS
from ..harness.terms import DAY, HOUR, RESERVED_TERMS
from ..harness.tokens import balance_of, put_tokens, token_address
from .base import UNAVAILABLE, Machine, Refusals, having, keepers, people, vaults, which

REASONS = sorted(GIVEN_BY_HOST)
BEFORE = (RentalState.QUEUED, RentalState.PROVISIONING)
TOO_EARLY: Refusals = (
    errors.RentalNotExpired,
    errors.HostOnline,
    errors.ProvisioningInTime,
    errors.WrongRentalState,
    errors.AnswerPending,
)
UNMARKABLE: Refusals = (errors.HostOnline, errors.AnswerPending, errors.AlreadySilent)

seconds_of_use = st.one_of(st.integers(HOUR, 3 * HOUR), st.integers(5, 3 * HOUR))


class RentalRules(Machine):
    @precondition(lambda self: self.offered())
    @rule(
        who=people,
        index=which,
        vault=vaults,
        kind=st.sampled_from([RentalKind.ON_DEMAND, RentalKind.RESERVED]),
        seconds=seconds_of_use,
        term=st.sampled_from(RESERVED_TERMS),
    )
    def open(self, who: int, index: int, vault: int, kind: RentalKind, seconds: int, term: int) -> None:
        renter, listing = self.renter(who), self.offered()[index % len(self.offered())]
        mint, shard = self.vault(vault)
        is_reserved = kind is RentalKind.RESERVED
        duration = term if is_reserved else seconds
        act = self.world.open_rental(
            renter,
            listing,
            mint,
            shard=shard,
            kind=kind,
            duration=duration,
            may_finish=bool(index % 2) and not is_reserved,
        )
        self.attempt(act, *UNAVAILABLE)

    @rule(who=people, vault=vaults, seconds=st.integers(HOUR, 9 * HOUR), keeper=keepers)
    def rent_at_once(self, who: int, vault: int, seconds: int, keeper: Pubkey) -> None:
        """The usual way to a running rental, on every machine that is idle or ought to be."""
        self.keep_house(keeper)
        renter, (mint, shard) = self.renter(who), self.vault(vault)
        for listing in self.offered():
            before = set(self.world.audit.books.open_rentals)
            act = self.world.open_rental(renter, listing, mint, shard=shard, duration=seconds, may_finish=True)
            self.attempt(act, *UNAVAILABLE)
            for rental in set(self.world.audit.books.open_rentals) - before:
                self.act(self.world.accept_rental(rental))
                self.act(self.world.start_rental(rental))

    @precondition(having(*BEFORE))
    @rule(index=which)
    def proceed(self, index: int) -> None:
        """A host accepts what is queued, and starts what it has accepted."""
        rental = self.pick(index, *BEFORE)
        if self.world.rental(rental).state == RentalState.QUEUED:
            self.act(self.world.accept_rental(rental))
        else:
            self.attempt(self.world.start_rental(rental), errors.ListingOffline, errors.ProvisioningOverdue)

    def running(self, index: int) -> Pubkey | None:
        """A rental that runs, if need be a new one; None if nobody can rent."""
        self.keep_house(KEEPER)
        if not self.rentals(RentalState.RUNNING):
            self.rent_at_once(index, index, 4 * HOUR, KEEPER)
        return self.pick(index, RentalState.RUNNING) if self.rentals(RentalState.RUNNING) else None

    @rule(index=which, seconds=st.integers(1, 2 * HOUR), term=st.sampled_from(RESERVED_TERMS))
    def extend(self, index: int, seconds: int, term: int) -> None:
        rental = self.running(index)
        if rental is None:
            return
        reserved = self.world.rental(rental).kind == RentalKind.RESERVED
        act = self.world.extend_rental(rental, term if reserved else seconds)
        self.attempt(
            act,
            errors.RentalExpired,
            errors.RentalChallenged,
            errors.RentalRepriced,
            errors.DiscountSpent,
            errors.SubsidyHoursSpent,
            errors.SubsidyBudgetSpent,
            errors.SubsidyShareSpent,
            *UNAVAILABLE,
        )

    @rule(index=which, seconds=st.integers(0, HOUR))
    def work_and_settle_twice(self, index: int, seconds: int) -> None:
        rental = self.running(index)
        if rental is None:
            return
        self.work(rental, seconds, settled=False)
        self.act(self.world.settle_rental(rental))
        before = self.world.rental(rental), dict(self.balances)
        assert self.act(self.world.settle_rental(rental)).events == ()
        assert before == (self.world.rental(rental), self.balances)

    @rule(
        index=which,
        rating=st.integers(1, 5),
        seconds=st.integers(0, HOUR),
        issue=st.sampled_from(RentalIssue),
        stops=st.booleans(),
    )
    def judge(self, index: int, rating: int, seconds: int, issue: RentalIssue, stops: bool) -> None:
        """The renter rates, and says what is wrong, perhaps on the way to stopping."""
        rental = self.running(index)
        if rental is None:
            return
        self.work(rental, seconds, settled=False)
        self.attempt(self.world.rate_rental(rental, rating), errors.AlreadyRated, errors.RatedTooSoon)
        self.act(self.world.report_issue(rental, issue))
        if stops:
            self.attempt(self.world.stop_rental(rental), errors.RentalExpired)

    @precondition(having(*RentalState))
    @rule(
        index=which,
        seconds=st.integers(0, HOUR),
        settled=st.booleans(),
        reason=st.one_of(st.none(), st.sampled_from(REASONS)),
    )
    def give_up(self, index: int, seconds: int, settled: bool, reason: CloseReason | None) -> None:
        """The renter stops, or the host cancels for a reason."""
        rental = self.pick(index, *RentalState)
        self.work(rental, seconds, settled)
        if reason is None:
            self.attempt(self.world.stop_rental(rental), errors.RentalExpired)
        elif reason in REFUSALS:
            self.attempt(self.world.cancel_rental(rental, reason), errors.WrongRentalState)
        else:
            self.act(self.world.cancel_rental(rental, reason))

    @precondition(having(*RentalState))
    @rule(index=which, seconds=st.integers(0, HOUR))
    def stop_unpaid(self, index: int, seconds: int) -> None:
        """The renter stops while neither side's account takes tokens."""
        rental = self.pick(index, *RentalState)
        state = self.world.rental(rental)
        self.work(rental, seconds, False)
        parties = (state.renter, self.host_of(state.listing))
        if state.mint == WSOL:
            return
        for party in parties:
            self.freeze(party, state.mint)
        self.attempt(self.world.stop_rental(rental), errors.RentalExpired)
        for party in parties:
            self.freeze(party, state.mint, frozen=False)

    @rule(
        index=which,
        seconds=st.integers(0, HOUR),
        settled=st.booleans(),
        code=st.integers(0, 255),
        wait=st.sampled_from([None, 0, HOUR, 3 * DAY]),
        contests=st.booleans(),
    )
    def finish(self, index: int, seconds: int, settled: bool, code: int, wait: int | None, contests: bool) -> None:
        """A command has ended, its host ends the rental if the renter has agreed, and its holdback may be decided."""
        rental = self.running(index)
        if rental is None:
            return
        self.work(rental, seconds, settled)
        act = self.world.finish_rental(rental, code)
        refusals = (errors.FinishNotAgreed, errors.RentalExpired, errors.ListingOffline)
        if self.attempt(act, *refusals) is not None and wait is not None:
            self.decide_finished(-1, wait, contests, KEEPER)

    @precondition(lambda self: self.world.audit.books.holdbacks)
    @rule(index=which, wait=st.sampled_from([0, 0, HOUR, 3 * DAY]), contests=st.booleans(), keeper=keepers)
    def decide_finished(self, index: int, wait: int, contests: bool, keeper: Pubkey) -> None:
        """The renter contests a finished rental, or somebody releases what it holds back."""
        holdbacks = list(self.world.audit.books.holdbacks)
        rental = holdbacks[index % len(holdbacks)]
        self.world.wait(wait)
        if contests:
            self.attempt(self.world.contest_finish(rental), errors.ContestWindowOver)
        else:
            self.attempt(self.world.release_holdback(rental, caller=keeper), errors.ContestWindowOpen)

    @rule(keeper=keepers)
    def claim_all(self, keeper: Pubkey) -> None:
        """Somebody has everyone paid what they are owed."""
        books = self.world.audit.books
        for rental in list(books.refunds_owed):
            self.act(self.world.claim_refund(rental, caller=keeper))
        for listing in list(books.payouts_owed):
            self.act(self.world.claim_payout(listing, caller=keeper))

    def release_all(self, keeper: Pubkey) -> None:
        """Somebody releases all that finished rentals hold back and that nobody may contest any more."""
        for rental in list(self.world.audit.books.holdbacks):
            self.act(self.world.release_holdback(rental, caller=keeper))

    def freeze(self, owner: Pubkey, mint: Pubkey, frozen: bool = True) -> None:
        """The issuer freezes or thaws an account; what it holds stays."""
        held = balance_of(self.world.cluster, token_address(owner, mint))
        put_tokens(self.world.cluster, mint, owner, held, frozen=frozen)

    @precondition(having(*RentalState))
    @rule(
        index=which,
        keeper=keepers,
        seconds=st.integers(0, HOUR),
        settled=st.booleans(),
        answer=st.integers(0, 200),
        halts=st.booleans(),
    )
    def crank(self, index: int, keeper: Pubkey, seconds: int, settled: bool, answer: int, halts: bool) -> None:
        """Somebody tries all that anyone may do to a rental, some time after its host was heard from and marked."""
        rental = self.pick(index, *RentalState)
        self.work(rental, 60, settled)
        self.world.wait(seconds)
        self.attempt(self.world.mark_silent(self.world.rental(rental).listing), *UNMARKABLE)
        if halts:
            self.world.cluster.halt(answer)
        else:
            self.world.wait(answer)
        ends = (self.world.finalize_rental, self.world.report_offline, self.world.cancel_unstarted)
        for end in ends:
            if self.world.exists(rental):
                self.attempt(end(rental, caller=keeper), *TOO_EARLY)

    @rule(keeper=keepers)
    def keep_house(self, keeper: Pubkey) -> None:
        """Somebody ends all that is overdue, and the hosts are heard from."""
        for rental in self.rentals(*RentalState):
            end = self.overdue_end(rental)
            if end is not None:
                self.attempt(end(rental, caller=keeper), errors.AnswerPending)
        self.beat()

    @precondition(lambda self: self.offered())
    @rule(index=which, seconds=st.integers(0, HOUR), answer=st.integers(0, 200))
    def fall_silent(self, index: int, seconds: int, answer: int) -> None:
        """A machine is not heard from, somebody marks it twice, and it may answer in between."""
        listing = self.offered()[index % len(self.offered())]
        self.world.wait(seconds)
        for _ in range(2):
            self.attempt(self.world.mark_silent(listing), *UNMARKABLE)
            self.world.wait(answer)
        self.beat()

    def overdue_end(self, rental: Pubkey) -> Callable[..., Instruction] | None:
        """Instruction by which anyone may end the rental now, if there is one."""
        state = self.world.rental(rental)
        if state.state != RentalState.RUNNING:
            return self.world.cancel_unstarted if self.now > state.created_at + state.provision_timeout else None
        if self.now >= state.started_at + state.duration:
            return self.world.finalize_rental
        silent = is_silent(self.world.listing(state.listing), self.now, self.world.cluster.slot)
        return self.world.report_offline if silent else None

    @precondition(having(RentalState.RUNNING))
    @rule(index=which, early=st.integers(0, 1_000), settled=st.booleans(), late=st.integers(0, DAY))
    def expire(self, index: int, early: int, settled: bool, late: int) -> None:
        """The paid time runs out, the host being heard from until `early` seconds before its end."""
        rental = self.pick(index, RentalState.RUNNING)
        state = self.world.rental(rental)
        end = state.started_at + state.duration
        self.work(rental, max(0, end - early - self.now), settled)
        self.wait_until(end + late)
        self.act(self.world.finalize_rental(rental))

    def end_rentals(self) -> None:
        """Anyone ends what holds a machine and is overdue."""
        for rental in self.rentals(*RentalState):
            running = self.world.rental(rental).state == RentalState.RUNNING
            end = self.world.finalize_rental if running else self.world.cancel_unstarted
            closed = [type(event) for event in self.act(end(rental)).events if not isinstance(event, events.MeterEnded)]
            assert closed == [events.RentalClosed]
