"""Hosts, their listings and reputation."""

from __future__ import annotations

from typing import Any

from anchor_client.generated.events import (
    HostApproved,
    HostCounted,
    HostHeartbeat,
    HostRegistered,
    HostScored,
    HostUpdated,
    ListingClosed,
    ListingCreated,
    ListingMarked,
    ListingUpdated,
    OperatorSet,
    PayoutClaimed,
)
from anchor_client.generated.pdas import find_listing
from anchor_client.generated.types import Silence
from anchor_client.rules.parameters import BY_NAME
from indexer.index.handlers.ledger import change_ledger
from indexer.index.handlers.series import machine_of, recount, recounts
from indexer.index.handlers.step import Step, on
from indexer.models import Host, HostScore, Listing, ListingPrice, MarketParameterValue

HEARD = Silence.HEARD.name.lower()


@on(HostRegistered)
def on_host_registered(event: HostRegistered, step: Step) -> None:
    """A host registers, not yet approved."""
    step.open(Host, event.host, event, registered_at=event.at)


@on(HostUpdated)
def on_host_updated(event: HostUpdated, step: Step) -> None:
    """A host replaces its seal key."""
    step.change(Host, event.host, event.seq, seal_key=event.new_seal_key.hex())


@on(HostApproved)
def on_host_approved(event: HostApproved, step: Step) -> None:
    """A host is approved, or no longer, with a budget of subsidy a day."""
    step.change(Host, event.host, event.seq, approved=event.new, subsidy_budget=event.new_budget)


@on(ListingCreated)
def on_listing_created(event: ListingCreated, step: Step) -> None:
    """A host lists a machine."""
    host = step.change(Host, event.host, event.host_seq, points=event.host_points)
    if host is not None:
        host.open_listings += 1
    step.open(
        Listing,
        event.listing,
        event,
        event.spec,
        operator=str(event.authority),
        number=event.id,
        created_at=event.at,
        idle_since=event.at,
    )
    step.add(ListingPrice, event, event.spec)


@on(OperatorSet)
def on_operator_set(event: OperatorSet, step: Step) -> None:
    """Another key serves a machine."""
    step.change(Listing, event.listing, event.seq, operator=str(event.new))


@on(ListingUpdated)
@recounts
def on_listing_updated(event: ListingUpdated, step: Step) -> None:
    """A host changes what a listing says."""
    step.change(Host, event.host, event.host_seq, points=event.host_points, **_tracked_by_host(event))
    before = step.rows.change(Listing, str(event.listing))
    if before is not None and before.spec_version != event.spec_version:
        before.proven_seconds = 0
    step.change(
        Listing,
        event.listing,
        event.seq,
        event.spec,
        points=event.points,
        spec_version=event.spec_version,
        reference_usd=event.reference_usd,
        tracked_seconds=event.tracked_seconds,
        up_seconds=event.up_seconds,
    )
    if (event.old_on_demand_usd, event.old_spot_min_usd) != (event.spec.on_demand_usd, event.spec.spot_min_usd):
        step.add(ListingPrice, event, event.spec)


@on(PayoutClaimed)
def on_payout_claimed(event: PayoutClaimed, step: Step) -> None:
    """A host is paid what its listing owed it."""
    listing = step.change(Listing, event.listing, event.seq)
    if listing is not None:
        listing.owed = 0
        listing.owed_mint = None
    change_ledger(step, str(event.vault), event.vault_seq, liabilities=-event.amount, total_paid=event.amount)


@on(ListingClosed)
@recounts
def on_listing_closed(event: ListingClosed, step: Step) -> None:
    """A machine leaves the market."""
    host = step.change(Host, event.host, event.host_seq, points=event.host_points, **_tracked_by_host(event))
    if host is not None:
        host.open_listings -= 1
    step.change(
        Listing,
        event.listing,
        event.seq,
        closed_at=event.at,
        tracked_seconds=event.tracked_seconds,
        up_seconds=event.up_seconds,
    )


def _tracked_by_host(event: ListingUpdated | ListingClosed) -> dict[str, int]:
    return {"tracked_seconds": event.host_tracked_seconds, "up_seconds": event.host_up_seconds}


@on(HostHeartbeat)
def on_host_heartbeat(event: HostHeartbeat, step: Step) -> None:
    """A host shows that listings are up."""
    step.change(Host, event.host, event.seq, event)
    changed = step.rows.find(MarketParameterValue, "offline_after")
    heard_since = event.at - (BY_NAME["offline_after"].default if changed is None else changed.value)
    for beat in event.listings:
        listing = str(find_listing(event.host, beat.id, step.program)[0])
        before = machine_of(step, listing)
        known = step.rows.change(Listing, listing)
        if known is not None and (known.silence != HEARD or known.last_heartbeat_at < heard_since):
            known.returned_at = event.at
        step.change(Listing, listing, beat.seq, beat, **heard_at(event.at))
        recount(step, listing, before, event.at)


@on(ListingMarked)
@recounts
def on_listing_marked(event: ListingMarked, step: Step) -> None:
    """A machine has not been heard from for too long: its host may answer, or did not."""
    marked = {"marked_at": event.at} if event.silence is Silence.MARKED else {}
    step.change(Listing, event.listing, event.seq, event, **marked)


def heard_at(at: int) -> dict[str, Any]:
    """Columns of a listing whose host was heard from."""
    return {"last_heartbeat_at": at, "silence": HEARD, "answer_by": None}


@on(HostCounted)
def on_host_counted(event: HostCounted, step: Step) -> None:
    """Listings hand over what they have counted; their own rows keep what they counted in their whole life."""
    step.change(Host, event.host, event.seq, event)
    for count in event.listings:
        step.change(Listing, find_listing(event.host, count.id, step.program)[0], count.seq)


@on(HostScored)
def on_host_scored(event: HostScored, step: Step) -> None:
    """A host has a new score."""
    step.add(HostScore, event, score_bps=event.new)
    step.change(Host, event.host, event.seq, score_bps=event.new, score_round=event.round)
