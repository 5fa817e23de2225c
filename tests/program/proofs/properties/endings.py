"""The seconds that an ending charges for."""

from __future__ import annotations

from types import SimpleNamespace

from anchor_client.generated.constants import BPS
from anchor_client.generated.types import CloseReason, RentalState
from anchor_client.rules.rental import (
    HOST_FAULTS,
    charged,
    least_charge,
    shown_until,
    unstarted_tip,
    used_at,
    used_until_silence,
)
from tests.program.proofs.given import Given, Value
from tests.program.proofs.inputs import AT, rental
from tests.program.proofs.stated import Claims, holds


def _running(given: Given) -> tuple[SimpleNamespace, Value, Value]:
    own = rental(given)
    now = given.integer("now", 0, AT)
    return own, used_at(own, now), now


@holds("RNT-3", "RNT-4")
def used_seconds_are_within_the_term(given: Given) -> Claims:
    """The seconds used are never negative, never past the term and never fewer than were settled."""
    own, used, now = _running(given)
    yield "settled", used >= own.settled
    yield "term", used <= own.duration
    yield "shown", shown_until(own, now) >= 0


@holds("RNT-3")
def used_seconds_grow_with_time(given: Given) -> Claims:
    """Later there are no fewer seconds used."""
    own, used, now = _running(given)
    later = given.integer("later", 0, AT)
    given.assume(now <= later)
    yield "no fewer", used <= used_at(own, later)


@holds("RNT-7")
def a_silent_host_is_paid_up_to_its_last_heartbeat(given: Given) -> Claims:
    """When the host is gone no second counts after its last heartbeat, but those that were settled."""
    own = rental(given)
    heard = given.integer("heartbeat_at", 0, AT)
    used = used_until_silence(own, SimpleNamespace(last_heartbeat_at=heard))
    yield "heard", used <= max(own.settled, heard - own.started_at)


@holds("RNT-4")
def charged_seconds_are_within_the_term(given: Given) -> Claims:
    """No ending charges for fewer seconds than were settled or more than the term, whatever its reason."""
    own, used, now = _running(given)
    seconds = charged(own, given.choice("reason", tuple(CloseReason)), used, now)
    yield "not negative", seconds >= 0
    yield "term", seconds <= own.duration


@holds("RNT-13", "RNT-16")
def a_stop_charges_no_fewer_than_were_used(given: Given) -> Claims:
    """A stop charges for the seconds used and for the least charge, and at most for the term."""
    own, used, now = _running(given)
    given.product(max(used, least_charge(own)), own.discount_bps)
    seconds = charged(own, CloseReason.STOPPED, used, now)
    yield "used", seconds >= used
    yield "least", seconds >= least_charge(own)
    yield "term", seconds <= own.duration


@holds("RNT-13", "RNT-16")
def a_later_stop_charges_no_less(given: Given) -> Claims:
    """Of two stops the later one charges for no fewer seconds, the discount given back included."""
    own, used, now = _running(given)
    later = given.integer("later", 0, AT)
    given.assume(now <= later)
    later_used = used_at(own, later)
    first = charged(own, CloseReason.STOPPED, used, now)
    second = charged(own, CloseReason.STOPPED, later_used, later)
    given.exceeds(first, second, BPS - own.discount_bps)
    yield "no fewer", first <= second


@holds("RNT-16")
def a_discount_given_back_is_no_more_than_it_was(given: Given) -> Claims:
    """A stop of a reserved rental gives back no more than the discount on the seconds used, rounded up."""
    own, used, now = _running(given)
    seconds = charged(own, CloseReason.STOPPED, used, now)
    whole = max(used, least_charge(own))
    given.product(seconds - whole - 1, BPS - own.discount_bps)
    yield "no more", (seconds - 1) * (BPS - own.discount_bps) < whole * BPS


@holds("RNT-16")
def a_stop_gives_the_whole_discount_back(given: Given) -> Claims:
    """The seconds that a stop charges for cost, at the discounted rate, what those used cost without a discount, unless
    that is more than the whole term."""
    own, used, now = _running(given)
    seconds = charged(own, CloseReason.STOPPED, used, now)
    given.assume(seconds < own.duration)
    yield "whole", seconds * (BPS - own.discount_bps) >= max(used, least_charge(own)) * BPS


@holds("RNT-16")
def an_ending_by_the_host_charges_what_was_used(given: Given) -> Claims:
    """A rental that host or market end costs the seconds used alone, and its renter keeps a discount."""
    own, used, now = _running(given)
    reason = given.choice("reason", [*sorted(HOST_FAULTS), CloseReason.EXPIRED])
    yield "used", charged(own, reason, used, now) == used


@holds("RNT-13")
def a_machine_not_as_listed_has_no_least_charge(given: Given) -> Claims:
    """A machine that is not as listed costs the seconds used alone, of a rental without a discount that has not waited
    for it."""
    own = rental(given, not_as_listed=True, took_over=False, discount_bps=0)
    used, now = used_at(own, given.integer("at", 0, AT)), given.integer("now", 0, AT)
    yield "used", charged(own, CloseReason.STOPPED, used, now) == used
    yield "preempted", charged(own, CloseReason.PREEMPTED, used, now) == used


@holds("RNT-13")
def a_withdrawn_order_pays_at_most_the_least_charge(given: Given) -> Claims:
    """An order withdrawn before the start pays for the time that its host prepared, and at most the least charge;
    nothing once the host is late."""
    own = rental(given, not_as_listed=False, took_over=False, settled=0, state=RentalState.PROVISIONING)
    now = given.integer("now", 0, AT)
    given.assume(own.created_at <= now)
    seconds = charged(own, CloseReason.WITHDRAWN, 0, now)
    yield "least", seconds <= own.min_charge
    yield "not negative", seconds >= 0
    yield "prepared", seconds <= now - own.created_at
    late = charged(own, CloseReason.WITHDRAWN, 0, own.created_at + own.promise + 1)
    yield "late", late == 0


@holds("RNT-13")
def a_withdrawn_order_pays_for_the_preparation(given: Given) -> Claims:
    """An order withdrawn within the host's promise pays for every second that it prepared, up to the least charge."""
    own = rental(given, not_as_listed=False, took_over=False, settled=0, state=RentalState.PROVISIONING)
    prepared = given.integer("prepared", 0, 3_600)
    now = own.created_at + own.accepted_after + prepared
    given.assume(own.accepted_after + prepared <= own.promise)
    given.assume(prepared <= own.min_charge)
    yield "prepared", charged(own, CloseReason.WITHDRAWN, 0, now) == prepared


@holds("SPT-10")
def an_order_that_waited_pays_the_least_charge(given: Given) -> Claims:
    """An order that has waited for its machine and leaves it unstarted or is displaced pays the least charge, accepted
    or not, and nothing once its host is late to start."""
    state = given.choice("state", (RentalState.QUEUED, RentalState.PROVISIONING))
    own = rental(given, not_as_listed=False, took_over=True, settled=0, state=state)
    given.assume(own.promise <= own.provision_timeout)
    until = own.created_at + own.provision_timeout
    now = given.integer("now", 0, AT)
    given.assume(now <= until)
    for reason in (CloseReason.WITHDRAWN, CloseReason.PREEMPTED):
        yield f"least, {reason.name}", charged(own, reason, 0, now) == own.min_charge
        yield f"late, {reason.name}", charged(own, reason, 0, until + 1) == 0


@holds("SPT-10")
def a_report_waives_nothing_of_an_order_that_waited(given: Given) -> Claims:
    """An order that has waited for its machine pays for the least charge once it runs, whatever its renter reports."""
    own = rental(given, not_as_listed=True, took_over=True, discount_bps=0)
    used, now = used_at(own, given.integer("at", 0, AT)), given.integer("now", 0, AT)
    for reason in (CloseReason.STOPPED, CloseReason.PREEMPTED):
        yield reason.name, charged(own, reason, used, now) >= own.min_charge


@holds("REQ-5")
def the_tip_of_an_order_never_started_is_its_own(given: Given) -> Claims:
    """Ending an order that never started pays no more than its tip, and of a match at most a transaction's cost."""
    own = rental(given, not_as_listed=False, settled=0)
    own.tip_lamports = given.integer("tip_lamports", 0, 100_000_000)
    own.is_matched = given.choice("is_matched", (False, True))
    tip = unstarted_tip(own)
    yield "its own", tip <= own.tip_lamports
    yield "a match", not own.is_matched or tip <= 5_000
