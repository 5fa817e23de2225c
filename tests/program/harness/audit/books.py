"""Rentals and vaults as a reader of events alone would keep them."""

from __future__ import annotations

from dataclasses import dataclass, field

from solders.pubkey import Pubkey

from anchor_client.generated import events
from anchor_client.generated.pdas import find_meter, find_vault
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.market_key import MarketKey
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.generated.types.rental_state import RentalState
from anchor_idl.runtime.structs import Event

from ..reference import Rates, divide, payable
from .charges import MeterBook, MeterEvent
from .ledgers import RentalBook, VaultBook
from .reasons import BY_HOST, FAULTS, REFUSALS, tip_of
from .staking import StakingBooks

QUARTER = 900
"""Seconds after which a holder whose challenger left is warned by a whole grace again."""
LEAST_GRACE = 30


@dataclass(slots=True)
class Books:
    vaults: dict[Pubkey, VaultBook] = field(default_factory=dict)
    open_rentals: dict[Pubkey, RentalBook] = field(default_factory=dict)
    open_requests: dict[Pubkey, events.RequestOpened] = field(default_factory=dict)
    matchers: dict[Pubkey, Pubkey] = field(default_factory=dict)
    """Of each rental that a match is about to open, who has matched it."""
    ended: set[Pubkey] = field(default_factory=set)
    listing_hosts: dict[Pubkey, Pubkey] = field(default_factory=dict)
    occupants: dict[Pubkey, Pubkey] = field(default_factory=dict)
    challengers: dict[Pubkey, Pubkey] = field(default_factory=dict)
    deadlines: dict[Pubkey, int] = field(default_factory=dict)
    """When each challenger may take over, by listing; kept while one bid takes the place of another."""
    graces: dict[Pubkey, tuple[int, int, int]] = field(default_factory=dict)
    """Of each holder somebody has waited for: their grace, what withdrawn orders have left of it, and since when."""
    contested: dict[Pubkey, int] = field(default_factory=dict)
    """When the last order that waited for a held listing was withdrawn."""
    bound: dict[Pubkey, int] = field(default_factory=dict)
    """From when the renter of an order that waits until it holds its machine may take it back, because it is late."""
    departed: dict[Pubkey, Pubkey] = field(default_factory=dict)
    """Of each listing that an order waits for, the rental that the host has ended meanwhile."""
    renters: dict[Pubkey, Pubkey] = field(default_factory=dict)
    """Of every rental there has been."""
    withdrawn: dict[Pubkey, tuple[Pubkey, int]] = field(default_factory=dict)
    """Of each order that has just ceased to wait, its mint and what it paid the holder."""
    refunds_owed: dict[Pubkey, tuple[Pubkey, int]] = field(default_factory=dict)
    """Of each rental that could not refund its renter, the vault that keeps the sum."""
    payouts_owed: dict[Pubkey, tuple[Pubkey, int]] = field(default_factory=dict)
    """The same of each listing that could not pay its host."""
    holdbacks: dict[Pubkey, tuple[RentalBook, events.RentalClosed]] = field(default_factory=dict)
    """Finished rentals that still hold something back, and how they ended."""
    treasury: Pubkey = field(default_factory=Pubkey.default)
    subsidy_daily_bps: int = 1_000
    meters: dict[Pubkey, MeterBook] = field(default_factory=dict)
    staking: StakingBooks = field(default_factory=StakingBooks)

    def enter(self, event: Event) -> None:
        """Books an event; an amount that its own rental does not allow is an AssertionError."""
        self.staking.enter(event)
        match event:
            case events.MarketInitialized() | events.MarketKeyUpdated(key=MarketKey.TREASURY):
                self.treasury = event.treasury if isinstance(event, events.MarketInitialized) else event.new
            case events.ListingCreated():
                self.listing_hosts[event.listing] = event.authority
            case events.VaultAdded():
                self.vaults[event.vault] = VaultBook(event.mint, event.token_account)
            case events.FeesSwept():
                self._sweep(event)
            case events.StakersSwept() | events.StakersReleased():
                self._move_stakers_share(event)
            case events.RentalOpened():
                self._open(event)
            case events.RentalAccepted():
                self.open_rentals[event.rental].accepted_at = event.at
            case events.RentalStarted():
                self._start(event)
            case events.RentalExtended():
                self._extend(event)
            case events.RentalSettled():
                self._settle(event)
            case events.RentalClosed():
                self._close(event)
            case events.RefundClaimed() | events.PayoutClaimed():
                self._claim(event)
            case events.HoldbackReleased() | events.FinishContested():
                self._settle_finished(event)
            case events.RentalPreempting():
                self._preempting(event)
            case events.ChallengerWithdrawn():
                self._withdraw_challenger(event)
            case events.RentalTookOver():
                self._take_over(event)
            case events.HolderCompensated():
                assert event.listing in self.payouts_owed and event.listing not in self.occupants
                assert self.challengers[event.listing] == event.rental and event.compensation > 0
                self._compensate(event)
            case events.MeterOpened():
                assert event.meter not in self.meters and event.meter not in self.ended
                self.meters[event.meter] = MeterBook(event)
                self.vaults[self.meters[event.meter].vault].escrow(event.cap)
            case _ if isinstance(event, MeterEvent):
                self._meter(event)
            case _:
                self._enter_the_rest(event)

    def _enter_the_rest(self, event: Event) -> None:
        match event:
            case events.MarketUpdated(parameter=MarketParameter.SUBSIDY_DAILY_BPS):
                self.subsidy_daily_bps = event.new
            case events.SubsidyFunded():
                self.vaults[event.vault].fund(event)
            case events.UnreservedWithdrawn():
                self.vaults[event.vault].withdraw(event)
            case events.IssueReported() if event.weight:
                self.open_rentals[event.rental].not_as_listed = True
            case events.RequestOpened():
                self._request(event)
            case events.RequestMatched():
                self._match(event)
            case events.RequestCancelled() | events.RequestExpired():
                self._refund(event)
            case _:
                return

    def _meter(self, event: MeterEvent) -> None:
        meter = self.meters[event.meter]
        meter.enter(event)
        vault = self.vaults[meter.vault]
        if isinstance(event, events.MeterSettled):
            vault.liabilities -= event.paid
            vault.total_paid += event.paid
        elif isinstance(event, events.MeterClosed):
            vault.liabilities -= event.paid_now + event.refunded + event.kept
            vault.fees_due += event.kept
            vault.total_paid += event.paid_now
            vault.total_refunded += event.refunded
            if event.host_owed == event.renter_owed == 0:
                del self.meters[event.meter]
                self.ended.add(event.meter)
        assert vault.liabilities >= 0

    def _claim(self, event: events.RefundClaimed | events.PayoutClaimed) -> None:
        if isinstance(event, events.RefundClaimed):
            address, amount = self.refunds_owed.pop(event.rental)
            self.ended.add(event.rental)
            self.vaults[address].total_refunded += amount
        else:
            address, amount = self.payouts_owed.pop(event.listing)
            self.vaults[address].total_paid += amount
            assert event.vault == address
        assert event.amount == amount > 0
        self.vaults[address].liabilities -= amount

    def _settle_finished(self, event: events.HoldbackReleased | events.FinishContested) -> None:
        rental, finished = self.holdbacks.pop(event.rental)
        self.ended.add(event.rental)
        assert (event.listing, event.mint, event.amount) == (finished.listing, finished.mint, finished.held)
        vault = self.vaults[rental.vault]
        vault.liabilities -= event.amount
        if isinstance(event, events.HoldbackReleased):
            assert event.at >= finished.contest_by and event.kept in (0, event.amount)
            lapses_at = finished.contest_by + rental.opened.finish_window
            assert not event.kept or event.at >= lapses_at
            vault.fees_due += event.kept
            vault.total_paid += event.amount - event.kept
        else:
            assert event.at < finished.contest_by and event.renter == rental.opened.renter
            vault.fees_due += event.amount
        assert vault.liabilities >= 0

    def _move_stakers_share(self, event: events.StakersSwept | events.StakersReleased) -> None:
        vault = self.vaults[event.vault]
        assert 0 < event.amount == vault.stakers_due
        vault.stakers_due = 0
        if isinstance(event, events.StakersSwept):
            vault.total_stakers += event.amount
        else:
            vault.total_swept += event.amount

    def _sweep(self, event: events.FeesSwept) -> None:
        vault = self.vaults[event.vault]
        assert event.burned + event.treasury_share + event.stakers == vault.fees_due
        waiting = vault.treasury_due + event.treasury_share
        assert event.treasury in (0, waiting)
        vault.fees_due = 0
        vault.stakers_due += event.stakers
        vault.treasury_due = waiting - event.treasury
        vault.total_burned += event.burned
        vault.total_swept += event.treasury

    def _open(self, event: events.RentalOpened) -> None:
        assert event.rental not in self.open_rentals and event.rental not in self.ended
        waits = event.preempt_at > 0
        places = self.challengers if waits else self.occupants
        assert event.listing not in self.payouts_owed
        assert event.listing not in places and waits == (event.listing in self.occupants)
        if waits:
            self._wait(event)
        rates = Rates(event.rate, event.subsidy_rate, event.burn_rate, event.fee_rate)
        compensation = rates.compensation(event.min_charge) if waits else 0
        assert event.deposit == rates.deposit(event.duration) + compensation
        assert event.subsidy == rates.subsidy_of(event.duration)
        vault = find_vault(event.mint, event.shard)[0]
        host = self.listing_hosts[event.listing]
        self.open_rentals[event.rental] = RentalBook(
            event, vault, host, rates, event.duration, event.deposit, event.subsidy, event.at
        )
        self.open_rentals[event.rental].matched_by = self.matchers.pop(event.rental, None)
        self.renters[event.rental] = event.renter
        places[event.listing] = event.rental
        self.vaults[vault].draw(event.subsidy, event.at, self.subsidy_daily_bps)
        self.vaults[vault].escrow(event.deposit)
        self.vaults[vault].open_rentals += 1

    def _wait(self, event: events.RentalOpened) -> None:
        """The first order to wait for a holder's machine is given their grace, the next ones the rest of it."""
        late_from = event.preempt_at + event.provision_timeout + 1
        if event.listing in self.deadlines:
            assert event.preempt_at == self.deadlines[event.listing]
            self.bound[event.rental] = late_from
            return
        holder, wait = self.occupants[event.listing], event.preempt_at - event.at
        whole, left, withdrawn_at = self.graces.get(holder, (wait, wait, event.at - QUARTER - 1))
        if event.at <= withdrawn_at + QUARTER:
            assert wait == max(left, min(LEAST_GRACE, whole)) and event.at > withdrawn_at
        if event.at <= self.contested.get(event.listing, event.at - QUARTER - 1) + QUARTER:
            self.bound[event.rental] = late_from
        assert wait <= whole
        self.graces[holder] = (whole, left, withdrawn_at)
        self.deadlines[event.listing] = event.preempt_at

    def last_holder(self, listing: Pubkey) -> Pubkey | None:
        """The rental that an order which waits may have to compensate: the holder, or one that the host has ended."""
        return self.occupants.get(listing, self.departed.get(listing))

    def _withdraw_challenger(self, event: events.ChallengerWithdrawn) -> None:
        assert event.holder == (self.last_holder(event.listing) or Pubkey.default())
        self.departed.pop(event.listing, None)
        assert event.listing not in self.challengers
        assert self.withdrawn.pop(event.challenger) == (event.mint, event.compensation)
        deadline = self.deadlines.pop(event.listing)
        if event.listing in self.occupants and event.challenge_from == event.at + 1:
            assert event.at >= self.bound.get(event.challenger, 0)
            whole, _, _ = self.graces[event.holder]
            self.contested[event.listing] = event.at
            self.graces[event.holder] = (whole, max(deadline - event.at, 0), event.at)

    def _request(self, event: events.RequestOpened) -> None:
        assert event.request not in self.open_requests and event.request not in self.ended
        self.open_requests[event.request] = event
        vault = self.vaults[find_vault(event.mint, event.shard)[0]]
        vault.liabilities += event.order.deposit
        vault.total_deposited += event.order.deposit

    def _match(self, event: events.RequestMatched) -> None:
        """The rental's deposit is taken out here and put in again by its opening."""
        request = self._release(event.request)
        assert event.held == request.order.deposit
        assert event.tip_lamports == request.tip_lamports
        vault = self.vaults[find_vault(request.mint, request.shard)[0]]
        vault.liabilities -= event.held
        vault.total_deposited -= event.held - event.refunded
        vault.total_refunded += event.refunded
        assert vault.liabilities >= 0
        self.matchers[event.rental] = event.matched_by

    def _start(self, event: events.RentalStarted) -> None:
        rental = self.open_rentals[event.rental]
        assert event.matched_by == (rental.matched_by or Pubkey.default())
        assert event.match_tip in (0, rental.opened.tip_lamports if rental.matched_by else 0)
        rental.matched_by = None
        meter = self.meters.get(find_meter(event.rental)[0])
        if meter is not None:
            meter.stored_from = event.at

    def _refund(self, event: events.RequestCancelled | events.RequestExpired) -> None:
        request = self._release(event.request)
        assert (event.renter, event.mint, event.refunded) == (request.renter, request.mint, request.order.deposit)
        if isinstance(event, events.RequestExpired):
            assert event.tip_lamports == request.tip_lamports
            assert event.at >= request.order.expires_at
        vault = self.vaults[find_vault(request.mint, request.shard)[0]]
        vault.liabilities -= event.refunded
        vault.total_refunded += event.refunded
        assert vault.liabilities >= 0

    def _release(self, request: Pubkey) -> events.RequestOpened:
        self.ended.add(request)
        return self.open_requests.pop(request)

    def _extend(self, event: events.RentalExtended) -> None:
        rental = self.open_rentals[event.rental]
        assert event.old_duration == rental.duration < event.new_duration
        spare = rental.spare
        rental.duration = event.new_duration
        rental.deposit += event.deposit_added
        rental.subsidy += event.subsidy_added
        assert rental.spare == spare
        assert rental.subsidy == rental.rates.subsidy_of(rental.duration)
        self.vaults[rental.vault].draw(event.subsidy_added, event.at, self.subsidy_daily_bps)
        self.vaults[rental.vault].escrow(event.deposit_added)

    def _settle(self, event: events.RentalSettled) -> None:
        rental = self.open_rentals[event.rental]
        assert rental.settled < event.settled <= rental.duration and event.paid > 0
        rental.paid += event.paid
        rental.settled = event.settled
        opened = rental.opened
        due = payable(rental.rates, event.settled, opened.holdback_bps, opened.holdback_window)
        assert event.paid_total == rental.paid == due
        vault = self.vaults[rental.vault]
        vault.liabilities -= event.paid
        vault.total_paid += event.paid
        assert vault.liabilities >= 0

    def _preempting(self, event: events.RentalPreempting) -> None:
        assert event.rental == self.occupants[event.listing] != event.challenger
        assert event.challenger == self.challengers[event.listing]
        assert self.deadlines[event.listing] == event.preempt_at

    def _take_over(self, event: events.RentalTookOver) -> None:
        assert event.listing not in self.occupants
        assert self.challengers.pop(event.listing) == event.rental
        deadline = self.deadlines.pop(event.listing)
        has_left = event.preempted in self.ended or event.preempted in self.refunds_owed
        departed = self.departed.pop(event.listing, None)
        if departed is not None:
            assert event.preempted == departed
        else:
            assert event.preempted == Pubkey.default() or (has_left and event.at >= deadline)
        self._compensate(event)
        self.occupants[event.listing] = event.rental
        self.open_rentals[event.rental].placed_at = event.at
        self.open_rentals[event.rental].took_over = True
        assert event.start_by == event.at + self.open_rentals[event.rental].opened.provision_timeout

    def _compensate(self, event: events.RentalTookOver | events.HolderCompensated) -> None:
        rental = self.open_rentals[event.rental]
        displaces = event.preempted != Pubkey.default()
        assert event.mint == rental.opened.mint
        assert event.compensation == (rental.spare if displaces else 0)
        assert event.compensation_kept in (0, event.compensation)
        assert (event.vault_seq > 0) == (event.compensation > 0)
        rental.deposit -= event.compensation
        vault = self.vaults[rental.vault]
        vault.liabilities -= event.compensation
        vault.fees_due += event.compensation_kept
        vault.total_compensated += event.compensation - event.compensation_kept
        assert vault.liabilities >= 0

    def _close(self, event: events.RentalClosed) -> None:
        rental = self.open_rentals.pop(event.rental)
        meter = self.meters.get(find_meter(event.rental)[0])
        assert meter is None or meter.ended_at == event.at
        assert event.host_owed in (0, event.paid_now - event.held) and event.renter_owed in (0, event.refunded)
        if event.reason is CloseReason.FINISHED:
            self._finish(rental, event)
        elif event.renter_owed:
            self.refunds_owed[event.rental] = (rental.vault, event.renter_owed)
        else:
            self.ended.add(event.rental)
        if event.host_owed:
            assert event.listing not in self.payouts_owed
            self.payouts_owed[event.listing] = (rental.vault, event.host_owed)
        waits = self.challengers.get(event.listing) == event.rental
        assert (self.challengers if waits else self.occupants).pop(event.listing) == event.rental
        assert event.used == 0 or not waits
        is_waited_for = not waits and event.listing in self.challengers
        if is_waited_for and event.reason in BY_HOST:
            self.departed[event.listing] = event.rental
        owes = waits and self.last_holder(event.listing) is not None
        leaves_holder = event.reason is CloseReason.WITHDRAWN and owes
        if waits and event.reason is not CloseReason.OUTBID:
            self.withdrawn[event.rental] = (event.mint, event.compensation - event.compensation_kept)
        opened = rental.opened
        assert (event.renter, event.listing, event.mint) == (opened.renter, opened.listing, opened.mint)
        assert event.tip_lamports == tip_of(event.reason, opened.tip_lamports, owes_matcher=bool(rental.matched_by))
        assert (event.deposit, event.subsidy) == (rental.deposit, rental.subsidy)
        assert event.paid == rental.paid + event.paid_now
        assert rental.settled <= event.charged <= rental.duration and event.used <= rental.duration
        assert event.charged == rental.charged(event)
        assert event.reason not in REFUSALS or event.state is not RentalState.RUNNING
        expected = divide(
            rental.rates,
            rental.duration,
            event.charged,
            holdback_bps=opened.holdback_bps,
            window=opened.holdback_window,
            host_at_fault=event.reason in FAULTS,
            spare=rental.spare,
            compensation=rental.spare if leaves_holder else 0,
        )
        assert expected.total() == event.deposit + event.subsidy
        assert event.compensation_kept in (0, event.compensation)
        for name in ("paid", "fees", "burned", "refunded", "subsidy_returned", "compensation"):
            assert getattr(event, name) == getattr(expected, name), f"{name} of {event}"
        vault = self.vaults[rental.vault]
        stays = event.host_owed + event.renter_owed + event.held
        vault.liabilities -= event.deposit + event.subsidy - rental.paid - stays
        vault.fees_due += event.fees + event.compensation_kept
        vault.take_back(event.subsidy_returned, event.at)
        vault.open_rentals -= 1
        vault.total_paid += event.paid_now - event.host_owed - event.held
        vault.total_burned += event.burned
        vault.total_refunded += event.refunded - event.renter_owed
        vault.total_compensated += event.compensation - event.compensation_kept
        assert vault.liabilities >= 0 and vault.open_rentals >= 0

    def _finish(self, rental: RentalBook, event: events.RentalClosed) -> None:
        """Nothing is held back but the holdback, and the renter has been paid."""
        opened = rental.opened
        assert opened.may_finish and event.state is RentalState.RUNNING and event.renter_owed == 0
        due = payable(rental.rates, event.charged, opened.holdback_bps, opened.holdback_window)
        assert event.held == event.paid - due
        self.holdbacks[event.rental] = (rental, event)
