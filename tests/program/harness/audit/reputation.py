"""Parts of a host's reputation, as a reader of events alone would keep them."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field

from solders.pubkey import Pubkey

from anchor_client.generated import events
from anchor_client.generated.accounts.host import Host
from anchor_client.generated.accounts.listing import Listing
from anchor_client.generated.pdas import find_listing
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_idl.runtime.structs import Event

from ..reference import PRIOR_USD, Rates, paid_usd, reputation
from .reasons import FAULTS, REFUSALS

CUT_SHORT = frozenset({CloseReason.STOPPED, CloseReason.PREEMPTED})
"""Reasons of rentals that end well before their paid time does."""
MIN_RATED_SECONDS = 600
"""Value that a market opens with."""


@dataclass(slots=True)
class Counts:
    """Counts on a listing until they move to the host."""

    rating_sum: int = 0
    rating_weight: int = 0
    paid_usd: int = 0
    completed: int = 0
    failed: int = 0
    refused: int = 0


@dataclass(slots=True)
class ListingBook:
    host: Pubkey
    visible: bool
    unoffered_since: int = 0
    """Since when it is neither visible nor rented; zero while it is either."""
    counted_at: int = 0
    rentals: set[Pubkey] = field(default_factory=set)
    counts: Counts = field(default_factory=Counts)
    tracked_seconds: int = 0
    up_seconds: int = 0
    score_round: int = 0

    def note(self, at: int) -> None:
        """It may have become visible or rented, or neither."""
        if self.visible or self.rentals:
            self.unoffered_since = 0
        else:
            self.unoffered_since = self.unoffered_since or at

    def track(self, tracked_seconds: int, up_seconds: int, at: int) -> tuple[int, int]:
        """The totals at a count of the time, of what has passed while visible or rented; gives what they grew by."""
        seconds = max((self.unoffered_since or at) - self.counted_at, 0) if self.counted_at else 0
        grown = tracked_seconds - self.tracked_seconds, up_seconds - self.up_seconds
        assert grown[0] == seconds and 0 <= grown[1] <= seconds
        self.tracked_seconds, self.up_seconds = tracked_seconds, up_seconds
        self.counted_at = max(self.counted_at, at) if self.counted_at else 0
        return grown


@dataclass(slots=True)
class HostBook:
    counts: Counts = field(default_factory=Counts)
    tracked_seconds: int = 0
    up_seconds: int = 0
    score: int = 0
    score_round: int = 0
    scored_at: int = 0
    not_as_listed_usd: int = 0

    def track(self, grown: tuple[int, int]) -> None:
        self.tracked_seconds += grown[0]
        self.up_seconds += grown[1]


@dataclass(slots=True)
class PaymentBook:
    """Payments by the renter of a rental themselves."""

    rates: Rates
    rate_usd: int
    paid_usd: int = 0


def is_completion(reason: CloseReason, used: int, least: int) -> bool:
    """True where a rental counts as completed: its paid time ran out, or it was cut short after `least` seconds."""
    return reason is CloseReason.EXPIRED or (reason in CUT_SHORT and used >= least)


@dataclass(slots=True)
class Reputations:
    hosts: dict[Pubkey, HostBook] = field(default_factory=dict)
    listings: dict[Pubkey, ListingBook] = field(default_factory=dict)
    rounds: dict[Pubkey, set[Pubkey]] = field(default_factory=dict)
    """Of each host whose next score has begun to be counted, the listings that it waits for."""
    payments: dict[Pubkey, PaymentBook] = field(default_factory=dict)
    finished: dict[Pubkey, int] = field(default_factory=dict)
    """Seconds used of rentals that have finished."""
    reported: set[Pubkey] = field(default_factory=set)
    """Rentals whose machine was reported as not as listed, with weight."""
    min_rated_seconds: int = MIN_RATED_SECONDS
    prior_usd: int = PRIOR_USD

    def enter(self, event: Event) -> None:
        """Books an event; a count or a score that the events before do not give is an AssertionError."""
        match event:
            case events.HostRegistered():
                self.hosts[event.host] = HostBook()
            case events.ListingCreated():
                self.listings[event.listing] = ListingBook(event.host, event.spec.visible)
                self.listings[event.listing].note(event.at)
            case events.ListingUpdated():
                self._update(event)
            case events.ListingClosed():
                self._track(event)
                assert self.listings.pop(event.listing).counts == Counts()
                self.rounds.get(event.host, set()).discard(event.listing)
            case events.HostHeartbeat():
                self._beat(event)
            case events.RentalRated():
                counts = self.listings[event.listing].counts
                counts.rating_sum += event.weight * event.rating
                counts.rating_weight += event.weight
            case events.RentalOpened():
                rates = Rates(event.rate, event.subsidy_rate, event.burn_rate, event.fee_rate)
                self.payments[event.rental] = PaymentBook(rates, event.rate_usd)
                self.listings[event.listing].rentals.add(event.rental)
                self.listings[event.listing].note(event.at)
            case events.RentalSettled():
                self._pay(event, event.settled)
            case events.RentalClosed():
                self._close(event)
            case events.HoldbackReleased():
                self.listings[event.listing].counts.completed += event.completed
                was_long = self.finished[event.rental] >= self.min_rated_seconds
                assert event.completed == (was_long and event.rental not in self.reported)
            case events.FinishContested():
                self.hosts[event.host].not_as_listed_usd += event.weight
            case events.IssueReported() if event.weight:
                self.hosts[event.host].not_as_listed_usd += event.weight
                self.reported.add(event.rental)
            case events.MarketUpdated(parameter=MarketParameter.MIN_RATED_SECONDS):
                assert event.old == self.min_rated_seconds
                self.min_rated_seconds = event.new
            case events.MarketUpdated(parameter=MarketParameter.REPUTATION_PRIOR_USD):
                assert event.old == self.prior_usd
                self.prior_usd = event.new
            case events.HostCounted():
                self._count(event)
            case events.HostScored():
                self._score(event)
            case _:
                return

    def check_listing(self, address: Pubkey, listing: Listing) -> None:
        """The account says the same."""
        book = self.listings[address]
        known = asdict(book.counts) | {"score_round": book.score_round, "unoffered_since": book.unoffered_since}
        for name, value in known.items():
            assert getattr(listing, name) == value, name

    def check_host(self, address: Pubkey, host: Host) -> None:
        """The account says the same, and waits for the listings that were open when its round began."""
        known = asdict(self.hosts[address])
        for name, value in (known.pop("counts") | known).items():
            assert getattr(host, name) == value, name
        assert host.open_listings == sum(listing.host == address for listing in self.listings.values())
        assert host.round_waiting == len(self.rounds.get(address, ()))
        assert (host.round_end > 0) == (address in self.rounds)

    def _update(self, event: events.ListingUpdated) -> None:
        listing = self.listings[event.listing]
        if listing.unoffered_since and event.spec.visible:
            self._track(event)
        listing.visible = event.spec.visible
        listing.note(event.at)
        self._check_tracked(event)

    def _track(self, event: events.ListingUpdated | events.ListingClosed) -> None:
        grown = self.listings[event.listing].track(event.tracked_seconds, event.up_seconds, event.at)
        self.hosts[event.host].track(grown)
        self._check_tracked(event)

    def _check_tracked(self, event: events.ListingUpdated | events.ListingClosed) -> None:
        listing, host = self.listings[event.listing], self.hosts[event.host]
        assert (event.tracked_seconds, event.up_seconds) == (listing.tracked_seconds, listing.up_seconds)
        assert (event.host_tracked_seconds, event.host_up_seconds) == (host.tracked_seconds, host.up_seconds)

    def _beat(self, event: events.HostHeartbeat) -> None:
        host = self.hosts[event.host]
        for beat in event.listings:
            listing = self.listings[find_listing(event.host, beat.id)[0]]
            listing.counted_at = listing.counted_at or event.at
            host.track(listing.track(beat.tracked_seconds, beat.up_seconds, event.at))
        assert (host.tracked_seconds, host.up_seconds) == (event.tracked_seconds, event.up_seconds)

    def _pay(self, event: events.RentalSettled | events.RentalClosed, seconds: int) -> None:
        book = self.payments[event.rental]
        assert event.paid_usd == paid_usd(book.rates, book.rate_usd, seconds) >= book.paid_usd
        self.listings[event.listing].counts.paid_usd += event.paid_usd - book.paid_usd
        book.paid_usd = event.paid_usd

    def _close(self, event: events.RentalClosed) -> None:
        self._pay(event, event.used)
        del self.payments[event.rental]
        listing = self.listings[event.listing]
        listing.rentals.remove(event.rental)
        listing.note(event.at)
        listing.counts.failed += event.reason in FAULTS
        listing.counts.refused += event.reason in REFUSALS
        listing.counts.completed += event.completed
        ended_well = is_completion(event.reason, event.used, self.min_rated_seconds)
        assert event.completed == (ended_well and event.rental not in self.reported)
        if event.reason is CloseReason.FINISHED:
            self.finished[event.rental] = event.used

    def _count(self, event: events.HostCounted) -> None:
        host = self.hosts[event.host]
        assert event.listings
        for count in event.listings:
            address = find_listing(event.host, count.id)[0]
            listing = self.listings[address]
            moved = Counts(**{name: getattr(count, name) for name in asdict(Counts())})
            assert listing.host == event.host and listing.counts == moved
            joins = listing.score_round != count.score_round
            assert moved != Counts() or joins
            if joins:
                assert count.score_round == host.score_round + 1
                if event.host not in self.rounds:
                    self.rounds[event.host] = {key for key, each in self.listings.items() if each.host == event.host}
                self.rounds[event.host].remove(address)
            listing.counts, listing.score_round = Counts(), count.score_round
            for name, value in asdict(moved).items():
                setattr(host.counts, name, getattr(host.counts, name) + value)
        assert Counts(**{name: getattr(event, name) for name in asdict(Counts())}) == host.counts

    def _score(self, event: events.HostScored) -> None:
        host = self.hosts[event.host]
        inputs = asdict(host.counts) | {
            name: getattr(host, name) for name in ("tracked_seconds", "up_seconds", "not_as_listed_usd")
        }
        del inputs["refused"]
        assert {name: getattr(event, name) for name in inputs} == inputs
        assert (event.old, event.round) == (host.score, host.score_round + 1)
        assert event.prior_usd == self.prior_usd
        assert event.new == reputation(**inputs, prior_usd=event.prior_usd)
        has_listings = any(listing.host == event.host for listing in self.listings.values())
        assert self.rounds.pop(event.host, None) == set() or not has_listings
        host.score, host.score_round, host.scored_at = event.new, event.round, event.at
