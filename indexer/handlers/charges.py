"""Charges for traffic and storage: what listings ask, and the meters of rentals."""

from __future__ import annotations

from typing import TypeAlias

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
from indexer.handlers.ledger import change_ledger, vault_of
from indexer.handlers.step import Step, on
from indexer.models import Listing, Meter, MeterEntry

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
    listing = step.change(Listing, event.listing, event.seq)
    if listing is not None:
        for name, value in event.new.field_values().items():
            setattr(listing, name, value)


@on(MeterOpened)
def on_meter_opened(event: MeterOpened, step: Step) -> None:
    """A renter escrows the most that charges may take."""
    meter = Meter(
        address=str(event.meter),
        rental=str(event.rental),
        renter=str(event.renter),
        listing=str(event.listing),
        authority=str(event.authority),
        mint=str(event.mint),
        shard=event.shard,
        cap=event.cap,
        bandwidth_rate=event.bandwidth_rate,
        storage_rate=event.storage_rate,
        storage_gb=event.storage_gb,
        charge_window=event.charge_window,
        opened_at=event.at,
        open_tx=step.signature,
        seq=event.seq,
        **event.charges.field_values(),
    )
    step.open(meter)
    _record(step, meter, event, "opened", event.cap)
    vault = vault_of(meter.mint, meter.shard)
    change_ledger(step, vault, event.vault_seq, liabilities=event.cap, total_deposited=event.cap)


@on(UsageReported)
def on_usage_reported(event: UsageReported, step: Step) -> None:
    """A host reports what a rental has used."""
    meter = step.change(Meter, event.meter, event.seq)
    if meter is None:
        return
    meter.bandwidth_mb = event.bandwidth_mb
    meter.storage_gb_hours = event.storage_gb_hours
    meter.accepted = event.accepted
    meter.pending = event.pending
    meter.disputed = event.disputed
    meter.dispute_by = event.dispute_by
    _record(step, meter, event, "reported", event.added)


@on(UsageDisputed)
def on_usage_disputed(event: UsageDisputed, step: Step) -> None:
    """A renter freezes what was pending."""
    meter = step.change(Meter, event.meter, event.seq)
    if meter is None:
        return
    meter.accepted = event.accepted
    meter.pending = event.pending
    meter.disputed = event.disputed
    meter.resolve_by = event.resolve_by
    _record(step, meter, event, "disputed", event.amount)


@on(UsageAccepted)
def on_usage_accepted(event: UsageAccepted, step: Step) -> None:
    """A renter agrees to all that has been reported."""
    meter = step.change(Meter, event.meter, event.seq)
    if meter is None:
        return
    meter.accepted = event.accepted
    meter.pending = meter.disputed = 0
    _record(step, meter, event, "accepted", event.amount)


@on(DisputeResolved)
def on_dispute_resolved(event: DisputeResolved, step: Step) -> None:
    """Disputed usage is dropped."""
    meter = step.change(Meter, event.meter, event.seq)
    if meter is None:
        return
    meter.disputed = 0
    _record(step, meter, event, "dropped", event.dropped)


@on(MeterSettled)
def on_meter_settled(event: MeterSettled, step: Step) -> None:
    """The host is paid what nobody may dispute any more."""
    meter = step.change(Meter, event.meter, event.seq)
    if meter is None:
        return
    meter.accepted = meter.paid = event.paid_total
    meter.pending = event.pending
    _record(step, meter, event, "paid", event.paid)
    vault = vault_of(meter.mint, meter.shard)
    change_ledger(step, vault, event.vault_seq, liabilities=-event.paid, total_paid=event.paid)


@on(MeterEnded)
def on_meter_ended(event: MeterEnded, step: Step) -> None:
    """Somebody notes that a meter's rental has ended."""
    meter = step.change(Meter, event.meter, event.seq)
    if meter is None:
        return
    meter.ended_at = event.at
    _record(step, meter, event, "ended")


@on(MeterClosed)
def on_meter_closed(event: MeterClosed, step: Step) -> None:
    """The cap is divided in full."""
    meter = step.change(Meter, event.meter, event.seq)
    if meter is None:
        return
    meter.accepted = meter.paid = event.paid
    meter.pending = meter.disputed = 0
    meter.refunded = event.refunded
    meter.closed_at = event.at
    meter.close_tx = step.signature
    _record(step, meter, event, "closed", event.paid_now)
    change_ledger(
        step,
        vault_of(meter.mint, meter.shard),
        event.vault_seq,
        liabilities=-(event.paid_now + event.refunded),
        total_paid=event.paid_now,
        total_refunded=event.refunded,
    )


def _record(step: Step, meter: Meter, event: MeterEvent, kind: str, amount: int = 0) -> None:
    """Adds to a meter's history."""
    step.rows.add(
        MeterEntry(
            meter=meter.address,
            seq=event.seq,
            kind=kind,
            amount=amount,
            bandwidth_mb=meter.bandwidth_mb,
            storage_gb_hours=meter.storage_gb_hours,
            ts=event.at,
            tx=step.signature,
        )
    )
