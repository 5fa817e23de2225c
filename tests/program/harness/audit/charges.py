"""A meter as a reader of events alone would keep it."""

from __future__ import annotations

from dataclasses import dataclass, field

from solders.pubkey import Pubkey

from anchor_client.generated import events
from anchor_client.generated.accounts.meter import Meter
from anchor_client.generated.pdas import find_vault
from anchor_idl.runtime.structs import Event

MeterEvent = (
    events.UsageReported
    | events.UsageDisputed
    | events.UsageAccepted
    | events.DisputeResolved
    | events.MeterSettled
    | events.MeterEnded
    | events.MeterClosed
)


@dataclass(slots=True)
class MeterBook:
    """A meter's charges, by the reference formula; an amount that it does not give is an AssertionError."""

    opened: events.MeterOpened
    accepted: int = 0
    paid: int = 0
    refunded: int = 0
    kept: int = 0
    pending: int = 0
    disputed: int = 0
    bandwidth_mb: int = 0
    storage_gb_hours: int = 0
    reported_at: int = 0
    disputed_at: int = 0
    accepted_at: int = 0
    ended_at: int = 0
    paid_until: int = field(init=False)
    stored_from: int = field(init=False)
    """The opening, or a later start."""

    def __post_init__(self) -> None:
        self.paid_until = self.opened.paid_until
        self.stored_from = self.opened.at

    @property
    def vault(self) -> Pubkey:
        return find_vault(self.opened.mint, self.opened.shard)[0]

    def enter(self, event: Event) -> None:
        match event:
            case events.UsageReported():
                self._report(event)
            case events.UsageDisputed():
                self._lapse(event.at)
                assert event.amount == self.pending > 0
                self.disputed, self.pending, self.disputed_at = self.disputed + self.pending, 0, event.at
                assert (event.accepted, event.pending, event.disputed) == (self.accepted, 0, self.disputed)
                assert event.resolve_by == event.at + self.opened.charge_window
            case events.UsageAccepted():
                assert event.amount == self.pending + self.disputed > 0
                self.accepted, self.accepted_at = self.accepted + event.amount, event.at
                self.pending = self.disputed = 0
                assert event.accepted == self.accepted
            case events.DisputeResolved():
                assert event.dropped == self.disputed > 0
                assert event.at > self.disputed_at + self.opened.charge_window
                self.disputed = 0
            case events.MeterSettled():
                self._pay(event.paid, event.paid_total, event.at)
                assert event.paid > 0 and event.pending == self.pending
            case events.MeterEnded():
                assert self.ended_at == 0
                self.ended_at = event.at
                assert event.report_by == event.at + self.opened.charge_window
                assert event.paid_until <= event.at
                self.paid_until = event.paid_until
            case events.MeterClosed():
                self._lapse(event.at)
                cap = self.opened.cap - self.refunded - self.kept
                owed, spare = self.accepted - self.paid, cap - self.accepted
                assert (event.paid_now, event.host_owed, event.kept) in ((owed, 0, 0), (0, owed, 0), (0, 0, owed))
                assert (event.refunded, event.renter_owed) in ((spare, 0), (0, spare))
                window = self.opened.charge_window
                assert not event.kept or event.at > max(self.ended_at + window, self.accepted_at) + window
                assert event.cap == cap
                self.paid, self.accepted = self.paid + event.paid_now, self.accepted - event.kept
                self.refunded, self.kept = self.refunded + event.refunded, self.kept + event.kept
                assert event.paid == self.paid and (self.pending, self.disputed) == (0, 0)
                assert self.ended_at and event.at > self.ended_at + self.opened.charge_window
                owes = event.host_owed + event.renter_owed
                assert event.cap == event.paid + event.refunded + event.kept + owes
                used = (event.bandwidth_mb, event.storage_gb_hours)
                assert used == (self.bandwidth_mb, self.storage_gb_hours)

    def check(self, meter: Meter) -> None:
        """The account says the same and is within its cap."""
        names = (
            "accepted",
            "accepted_at",
            "paid",
            "pending",
            "disputed",
            "bandwidth_mb",
            "storage_gb_hours",
            "ended_at",
            "paid_until",
        )
        for name in names:
            assert getattr(meter, name) == getattr(self, name), name
        assert meter.paid <= meter.accepted <= meter.accepted + meter.pending + meter.disputed <= self.opened.cap

    def price(self) -> int:
        """The price of all that is reported, each part rounded down."""
        above = max(0, self.bandwidth_mb - self.opened.charges.bandwidth_free_gb * 1_000)
        parts = self.opened.bandwidth_rate * above // 10**6, self.opened.storage_rate * self.storage_gb_hours // 1_000
        return min(sum(min(part, 2**64 - 1) for part in parts), 2**64 - 1)

    def _report(self, event: events.UsageReported) -> None:
        self._lapse(event.at)
        before = self.price()
        assert event.bandwidth_mb >= self.bandwidth_mb and event.storage_gb_hours >= self.storage_gb_hours
        assert event.paid_until >= self.paid_until and event.paid_until > 0
        self.paid_until = event.paid_until
        seconds = max(0, min(event.at, self.paid_until) - self.stored_from)
        assert event.storage_gb_hours <= self.opened.storage_gb * seconds // 3_600
        assert not self.ended_at or event.at <= self.ended_at + self.opened.charge_window
        self.bandwidth_mb, self.storage_gb_hours = event.bandwidth_mb, event.storage_gb_hours
        room = self.opened.cap - self.accepted - self.pending - self.disputed
        assert event.added == min(self.price() - before, room)
        if event.added:
            self.pending, self.reported_at = self.pending + event.added, event.at
        stands = (self.accepted, self.pending, self.disputed)
        assert (event.accepted, event.pending, event.disputed) == stands
        assert event.dispute_by == self.reported_at + self.opened.charge_window

    def _lapse(self, at: int) -> None:
        lapses_after = self.reported_at + self.opened.charge_window
        if self.pending and at > lapses_after:
            self.accepted, self.pending, self.accepted_at = self.accepted + self.pending, 0, lapses_after

    def _pay(self, paid: int, total: int, at: int) -> None:
        self._lapse(at)
        assert paid == self.accepted - self.paid
        self.paid = self.accepted
        assert total == self.paid
