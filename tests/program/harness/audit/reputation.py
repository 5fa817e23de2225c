"""What a host's reputation is made of, as a reader of events alone would keep it."""

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

from ..reference import reputation
from .books import FAULTS, REFUSALS

CUT_SHORT = frozenset({CloseReason.STOPPED, CloseReason.PREEMPTED})
"""Reasons of rentals that end well before their paid time does."""
MIN_RATED_SECONDS = 600
"""What a market opens with."""


@dataclass(slots=True)
class Counts:
    """What is counted on a listing until it moves to the host."""

    rating_sum: int = 0
    rating_weight: int = 0
    completed: int = 0
    failed: int = 0
    refused: int = 0


@dataclass(slots=True)
class ListingBook:
    host: Pubkey
    counts: Counts = field(default_factory=Counts)
    tracked_seconds: int = 0
    up_seconds: int = 0
    score_round: int = 0


@dataclass(slots=True)
class HostBook:
    counts: Counts = field(default_factory=Counts)
    tracked_seconds: int = 0
    up_seconds: int = 0
    score: int = 0
    score_round: int = 0
    scored_at: int = 0


def is_completion(reason: CloseReason, used: int, least: int) -> bool:
    """Whether a rental counts as completed: its paid time ran out, or it was cut short after `least` seconds."""
    return reason is CloseReason.EXPIRED or (reason in CUT_SHORT and used >= least)


@dataclass(slots=True)
class Reputations:
    hosts: dict[Pubkey, HostBook] = field(default_factory=dict)
    listings: dict[Pubkey, ListingBook] = field(default_factory=dict)
    finished: dict[Pubkey, int] = field(default_factory=dict)
    """Seconds used of rentals that have finished."""
    min_rated_seconds: int = MIN_RATED_SECONDS

    def enter(self, event: Event) -> None:
        """Books an event; a count or a score that the events before do not give is an AssertionError."""
        match event:
            case events.HostRegistered():
                self.hosts[event.host] = HostBook()
            case events.ListingCreated():
                self.listings[event.listing] = ListingBook(event.host)
            case events.ListingClosed():
                assert self.listings.pop(event.listing).counts == Counts()
            case events.HostHeartbeat():
                self._beat(event)
            case events.RentalRated():
                counts = self.listings[event.listing].counts
                counts.rating_sum += event.weight * event.rating
                counts.rating_weight += event.weight
            case events.RentalClosed():
                counts = self.listings[event.listing].counts
                counts.failed += event.reason in FAULTS
                counts.refused += event.reason in REFUSALS
                counts.completed += event.completed
                assert event.completed == is_completion(event.reason, event.used, self.min_rated_seconds)
                if event.reason is CloseReason.FINISHED:
                    self.finished[event.rental] = event.used
            case events.HoldbackReleased():
                self.listings[event.listing].counts.completed += event.completed
                assert event.completed == (self.finished[event.rental] >= self.min_rated_seconds)
            case events.MarketUpdated(parameter=MarketParameter.MIN_RATED_SECONDS):
                assert event.old == self.min_rated_seconds
                self.min_rated_seconds = event.new
            case events.HostCounted():
                self._count(event)
            case events.HostScored():
                self._score(event)
            case _:
                return

    def check_listing(self, address: Pubkey, listing: Listing) -> None:
        """The account says the same."""
        book = self.listings[address]
        for name, value in (asdict(book.counts) | {"score_round": book.score_round}).items():
            assert getattr(listing, name) == value, name

    def check_host(self, address: Pubkey, host: Host) -> None:
        """The account says the same, and no listing is counted for a score that others have not been counted for."""
        book = self.hosts[address]
        known = asdict(book)
        for name, value in (known.pop("counts") | known).items():
            assert getattr(host, name) == value, name
        open_listings = [listing for listing in self.listings.values() if listing.host == address]
        assert host.open_listings == len(open_listings)
        assert host.round_listings == sum(each.score_round == book.score_round + 1 for each in open_listings)

    def _beat(self, event: events.HostHeartbeat) -> None:
        host = self.hosts[event.host]
        for beat in event.listings:
            listing = self.listings[find_listing(event.host, beat.id)[0]]
            host.tracked_seconds += beat.tracked_seconds - listing.tracked_seconds
            host.up_seconds += beat.up_seconds - listing.up_seconds
            listing.tracked_seconds, listing.up_seconds = beat.tracked_seconds, beat.up_seconds
        assert (host.tracked_seconds, host.up_seconds) == (event.tracked_seconds, event.up_seconds)

    def _count(self, event: events.HostCounted) -> None:
        host = self.hosts[event.host]
        assert event.listings
        for count in event.listings:
            listing = self.listings[find_listing(event.host, count.id)[0]]
            moved = Counts(count.rating_sum, count.rating_weight, count.completed, count.failed, count.refused)
            assert listing.host == event.host and listing.counts == moved
            assert moved != Counts() or listing.score_round != count.score_round
            listing.counts, listing.score_round = Counts(), count.score_round
            for name, value in asdict(moved).items():
                setattr(host.counts, name, getattr(host.counts, name) + value)
        totals = Counts(event.rating_sum, event.rating_weight, event.completed, event.failed, event.refused)
        assert totals == host.counts

    def _score(self, event: events.HostScored) -> None:
        host = self.hosts[event.host]
        inputs = asdict(host.counts) | {"tracked_seconds": host.tracked_seconds, "up_seconds": host.up_seconds}
        del inputs["refused"]
        assert {name: getattr(event, name) for name in inputs} == inputs
        assert (event.old, event.round) == (host.score, host.score_round + 1)
        assert event.new == reputation(**inputs)
        assert all(each.score_round == event.round for each in self.listings.values() if each.host == event.host)
        host.score, host.score_round, host.scored_at = event.new, event.round, event.at
