"""Hosts, their listings and reputation."""

from __future__ import annotations

from anchor_client.generated.events import (
    HostApproved,
    HostCounted,
    HostHeartbeat,
    HostRegistered,
    HostScored,
    HostUpdated,
    ListingClosed,
    ListingCreated,
    ListingUpdated,
)
from anchor_client.generated.pdas import find_listing
from indexer.handlers.step import Step, on
from indexer.models import Host, HostScore, Listing


@on(HostRegistered)
def on_host_registered(event: HostRegistered, step: Step) -> None:
    """A host registers, not yet approved."""
    step.open(
        Host(
            address=str(event.host),
            authority=str(event.authority),
            seal_key=event.seal_key.hex(),
            registered_at=event.at,
            seq=event.seq,
        )
    )


@on(HostUpdated)
def on_host_updated(event: HostUpdated, step: Step) -> None:
    """A host replaces its seal key."""
    host = step.change(Host, event.host, event.seq)
    if host is not None:
        host.seal_key = event.new_seal_key.hex()


@on(HostApproved)
def on_host_approved(event: HostApproved, step: Step) -> None:
    """A host is approved, or no longer."""
    host = step.change(Host, event.host, event.seq)
    if host is not None:
        host.approved = event.new


@on(ListingCreated)
def on_listing_created(event: ListingCreated, step: Step) -> None:
    """A host lists a machine."""
    host = step.change(Host, event.host, event.host_seq)
    if host is not None:
        host.open_listings += 1
        host.points = event.host_points
    step.open(
        Listing(
            address=str(event.listing),
            host=str(event.host),
            authority=str(event.authority),
            number=event.id,
            created_at=event.at,
            idle_since=event.at,
            points=event.points,
            seq=event.seq,
            **event.spec.field_values(),
        )
    )


@on(ListingUpdated)
def on_listing_updated(event: ListingUpdated, step: Step) -> None:
    """A host changes what a listing says."""
    host = step.change(Host, event.host, event.host_seq)
    if host is not None:
        host.points = event.host_points
    listing = step.change(Listing, event.listing, event.seq)
    if listing is not None:
        listing.points = event.points
        for name, value in event.spec.field_values().items():
            setattr(listing, name, value)


@on(ListingClosed)
def on_listing_closed(event: ListingClosed, step: Step) -> None:
    """A machine leaves the market."""
    host = step.change(Host, event.host, event.host_seq)
    if host is not None:
        host.open_listings -= 1
        host.points = event.host_points
    listing = step.change(Listing, event.listing, event.seq)
    if listing is not None:
        listing.closed_at = event.at


@on(HostHeartbeat)
def on_host_heartbeat(event: HostHeartbeat, step: Step) -> None:
    """A host shows that listings are up."""
    host = step.change(Host, event.host, event.seq)
    if host is not None:
        host.tracked_seconds, host.up_seconds = event.tracked_seconds, event.up_seconds
    for beat in event.listings:
        listing = step.change(Listing, find_listing(event.host, beat.id)[0], beat.seq)
        if listing is not None:
            listing.last_heartbeat_at = event.at
            listing.tracked_seconds, listing.up_seconds = beat.tracked_seconds, beat.up_seconds


@on(HostCounted)
def on_host_counted(event: HostCounted, step: Step) -> None:
    """Listings hand over what they have counted; their own rows keep what they counted in their whole life."""
    host = step.change(Host, event.host, event.seq)
    if host is not None:
        host.rating_sum, host.rating_weight = event.rating_sum, event.rating_weight
        host.completed, host.failed = event.completed, event.failed
    for count in event.listings:
        step.change(Listing, find_listing(event.host, count.id)[0], count.seq)


@on(HostScored)
def on_host_scored(event: HostScored, step: Step) -> None:
    """A host has a new score."""
    step.rows.add(
        HostScore(
            host=str(event.host),
            round=event.round,
            score_bps=event.new,
            tracked_seconds=event.tracked_seconds,
            up_seconds=event.up_seconds,
            rating_sum=event.rating_sum,
            rating_weight=event.rating_weight,
            completed=event.completed,
            failed=event.failed,
            ts=event.at,
            tx=step.signature,
        )
    )
    host = step.change(Host, event.host, event.seq)
    if host is not None:
        host.score_bps, host.score_round = event.new, event.round
