"""Charges for traffic and storage: what listings ask, and the meters of rentals."""

from __future__ import annotations

from typing import Any, TypeAlias

from anchor_client.generated.events import (
    ChargesSet,
    DisputeResolved,
    MeterClosed,
    MeterEnded,
    MeterOpened,
    MeterSettled,
    UsageAccepted,
    UsageDisputed,
    UsageReported,
)
from indexer.index.handlers.ledger import change_ledger, vault_of
from indexer.index.handlers.series import count_money
from indexer.index.handlers.step import Step, on
from indexer.models import Listing, Meter, MeterEntry, Rental

MeterEvent: TypeAlias = (
    MeterOpened
    | UsageReported
    | UsageDisputed
    | UsageAccepted
    | DisputeResolved
    | MeterSettled
    | MeterEnded
    | MeterClosed
)


@on(ChargesSet)
def on_charges_set(event: ChargesSet, step: Step) -> None:
    """A host prices traffic and storage."""
    step.change(Listing, event.listing, event.seq, event.new)


@on(MeterOpened)
def on_meter_opened(event: MeterOpened, step: Step) -> None:
    """A renter escrows the most that charges may take."""
    meter = step.open(Meter, event.meter, event, event.charges, opened_at=event.at, open_tx=step.signature)
    _record(step, meter, event, "opened", event.cap)
    step.change(Rental, event.rental, event.rental_seq)
    vault = vault_of(meter.mint, meter.shard, step.program)
    change_ledger(step, vault, event.vault_seq, liabilities=event.cap, total_deposited=event.cap)


@on(UsageReported)
def on_usage_reported(event: UsageReported, step: Step) -> None:
    """A host reports what a rental has used."""
    _advance(step, event, "reported", event.added)


@on(UsageDisputed)
def on_usage_disputed(event: UsageDisputed, step: Step) -> None:
    """A renter freezes what was pending."""
    _advance(step, event, "disputed", event.amount)


@on(UsageAccepted)
def on_usage_accepted(event: UsageAccepted, step: Step) -> None:
    """A renter agrees to all that has been reported."""
    _advance(step, event, "accepted", event.amount, pending=0, disputed=0)


@on(DisputeResolved)
def on_dispute_resolved(event: DisputeResolved, step: Step) -> None:
    """Disputed usage is dropped."""
    _advance(step, event, "dropped", event.dropped, disputed=0)


@on(MeterSettled)
def on_meter_settled(event: MeterSettled, step: Step) -> None:
    """The host is paid what nobody may dispute any more."""
    meter = _advance(step, event, "paid", event.paid, accepted=event.paid_total, paid=event.paid_total)
    if meter is not None:
        vault = vault_of(meter.mint, meter.shard, step.program)
        change_ledger(step, vault, event.vault_seq, liabilities=-event.paid, total_paid=event.paid)


@on(MeterEnded)
def on_meter_ended(event: MeterEnded, step: Step) -> None:
    """The rental of a meter has ended."""
    _advance(step, event, "ended", 0, ended_at=event.at)


@on(MeterClosed)
def on_meter_closed(event: MeterClosed, step: Step) -> None:
    """The cap is divided in full, but for what one of the two cannot be paid yet."""
    owed = event.host_owed + event.renter_owed
    before = step.rows.change(Meter, str(event.meter))
    left, lost = (0, 0) if before is None else (before.refunded, before.kept)
    refunded = left + event.refunded
    kept = lost + event.kept
    known: dict[str, Any] = {"accepted": event.paid + event.host_owed, "pending": 0, "disputed": 0}
    known |= {"refunded": refunded, "kept": kept}
    if owed:
        known["cap"] = event.cap - event.refunded - event.kept
    else:
        known |= {"cap": event.paid + refunded + kept, "closed_at": event.at, "close_tx": step.signature}
    meter = _advance(step, event, "paid" if owed else "closed", event.paid_now, **known)
    if meter is not None:
        change_ledger(
            step,
            vault_of(meter.mint, meter.shard, step.program),
            event.vault_seq,
            liabilities=-(event.paid_now + event.refunded + event.kept),
            fees_due=event.kept,
            total_paid=event.paid_now,
            total_refunded=event.refunded,
        )
        count_money(step, event.at, meter.mint, fees=event.kept)


def _advance(step: Step, event: MeterEvent, kind: str, amount: int, **known: Any) -> Meter | None:
    """The meter after an event, with its history; None when its beginning was missed."""
    meter = step.change(Meter, event.meter, event.seq, event, **known)
    if meter is not None:
        _record(step, meter, event, kind, amount)
    return meter


def _record(step: Step, meter: Meter, event: MeterEvent, kind: str, amount: int) -> None:
    """Adds to a meter's history."""
    usage = {"bandwidth_mb": meter.bandwidth_mb, "storage_gb_hours": meter.storage_gb_hours}
    step.add(MeterEntry, event, kind=kind, amount=amount, **usage)
