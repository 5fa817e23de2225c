"""Weights of renters' reports, as a reader of events alone would know them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field

from solders.pubkey import Pubkey

from anchor_client.generated import events
from anchor_client.generated.accounts.renter_profile import RenterProfile
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.generated.types.rental_issue import RentalIssue
from anchor_idl.runtime.structs import Event

from ..reference import PRIOR_USD, Rates, paid_usd

WINDOW = 3_600
"""Seconds from the start in which a report counts."""


@dataclass(slots=True)
class Reports:
    spent_usd: Counter[Pubkey] = field(default_factory=Counter)
    """Micro-USD that each wallet has paid itself for rentals that have ended."""
    reported_usd: Counter[Pubkey] = field(default_factory=Counter)
    """Part of it that has weighed in reports."""
    opened: dict[Pubkey, events.RentalOpened] = field(default_factory=dict)
    started: dict[Pubkey, int] = field(default_factory=dict)
    """When the rentals started that have not ended."""
    finished: dict[Pubkey, events.RentalOpened] = field(default_factory=dict)
    weighed: set[Pubkey] = field(default_factory=set)
    """Rentals that have weighed against their host."""
    prior_usd: int = PRIOR_USD

    def enter(self, event: Event) -> None:
        """Books an event; a weight that the events before do not give is an AssertionError."""
        match event:
            case events.RentalOpened():
                self.opened[event.rental] = event
            case events.RentalStarted():
                self.started[event.rental] = event.at
            case events.IssueReported():
                self._report(event)
            case events.RentalClosed():
                self.spent_usd[event.renter] += event.paid_usd
                opened = self.opened.pop(event.rental)
                if event.reason is CloseReason.FINISHED:
                    self.finished[event.rental] = opened
                self.started.pop(event.rental, None)
            case events.FinishContested():
                self._contest(event)
            case events.RenterClosed():
                del self.spent_usd[event.wallet], self.reported_usd[event.wallet]
            case events.MarketUpdated(parameter=MarketParameter.REPUTATION_PRIOR_USD):
                self.prior_usd = event.new
            case _:
                return

    def check_profile(self, profile: RenterProfile) -> None:
        """The account says the same."""
        assert profile.spent_usd == self.spent_usd[profile.wallet]
        assert profile.reported_usd == self.reported_usd[profile.wallet] <= profile.spent_usd

    def _report(self, event: events.IssueReported) -> None:
        opened = self.opened[event.rental]
        assert (event.renter, event.listing, event.host) == (opened.renter, opened.listing, opened.host)
        started = self.started.get(event.rental)
        counts = event.issue is RentalIssue.NOT_AS_LISTED and started is not None and event.at < started + WINDOW
        self._weigh(event, self._weight(event, opened) if counts else 0)

    def _contest(self, event: events.FinishContested) -> None:
        opened = self.finished.pop(event.rental)
        assert (event.renter, event.listing, event.host) == (opened.renter, opened.listing, opened.host)
        self._weigh(event, self._weight(event, opened))

    def _weigh(self, event: events.IssueReported | events.FinishContested, weight: int) -> None:
        assert event.weight == weight
        assert (event.host_seq > 0) == (weight > 0)
        if weight:
            self.reported_usd[event.renter] += weight
            self.weighed.add(event.rental)

    def _weight(self, event: events.IssueReported | events.FinishContested, opened: events.RentalOpened) -> int:
        if event.rental in self.weighed:
            return 0
        rates = Rates(opened.rate, opened.subsidy_rate, opened.burn_rate, opened.fee_rate)
        left = min(self.spent_usd[event.renter] - self.reported_usd[event.renter], self.prior_usd)
        return left if left >= paid_usd(rates, opened.rate_usd, opened.min_charge) else 0
