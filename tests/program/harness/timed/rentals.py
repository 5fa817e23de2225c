"""Rules of rentals and requests in seconds."""

from __future__ import annotations

from anchor_client.generated import errors
from anchor_client.generated.types.market_parameter import MarketParameter as P

from ..actors import HOST, TENANT, WSOL
from ..changes import set_parameter
from ..flows import accepted, finished, opened, requested, running
from ..programs import make_program
from ..terms import DAY, HOUR
from ..world import World
from .rule import Timed, rule, soon


@rule(
    "start of a rental",
    P.PROVISION_TIMEOUT,
    error=errors.ProvisioningOverdue,
    ends=True,
    gain="starts a rental that the host was late for, or makes it late",
)
def _start(world: World) -> Timed:
    rental = accepted(world)
    return lambda: world.start_rental(rental), soon(world, world.now + 901)


@rule(
    "end of an order that never started",
    P.PROVISION_TIMEOUT,
    error=errors.ProvisioningInTime,
    gain="the tip, before others",
)
def _cancel_unstarted(world: World) -> Timed:
    rental = opened(world)
    return lambda: world.cancel_unstarted(rental), soon(world, world.now + 901)


@rule(
    "mark of an overdue host",
    P.OFFLINE_AFTER,
    error=errors.HostOnline,
    gain="nothing: the host has the whole window to answer",
)
def _mark(world: World) -> Timed:
    at = world.listing().last_heartbeat_at + 301
    world.wait(200)
    return world.mark_silent, at


@rule(
    "report of a host that did not answer",
    P.ANSWER_WINDOW,
    error=errors.HostOnline,
    gain="a host that needs the whole window loses the seconds since its last heartbeat; its slots are not shortened",
)
def _offline(world: World) -> Timed:
    rental = running(world, duration=DAY)
    world.wait(301)
    world.act(world.mark_silent())
    at = world.now + 60
    world.wait(50)
    return lambda: world.report_offline(rental), at


@rule(
    "report after a mark that nobody acted on",
    P.ANSWER_WINDOW,
    error=errors.HostOnline,
    ends=True,
    gain="the report fails, and the host has to be marked once more",
)
def _void(world: World) -> Timed:
    rental = running(world, duration=DAY)
    world.wait(301)
    world.act(world.mark_silent())
    at = world.now + 120
    world.wait(110)
    return lambda: world.report_offline(rental), at


@rule("end of a paid time", error=errors.RentalNotExpired, gain="the tip, before others")
def _finalize(world: World) -> Timed:
    rental = running(world)
    return lambda: world.finalize_rental(rental), soon(world, world.now + HOUR)


@rule(
    "extension before the end",
    error=errors.RentalExpired,
    ends=True,
    gain="keeps a renter from extending, or extends a rental that was over",
)
def _extend(world: World) -> Timed:
    rental = running(world)
    return lambda: world.extend_rental(rental), soon(world, world.now + HOUR)


@rule(
    "contest of a finish",
    P.FINISH_WINDOW,
    error=errors.ContestWindowOver,
    ends=True,
    gain="contests late, or keeps a contest of the last seconds out",
)
def _contest(world: World) -> Timed:
    rental = finished(world)
    return lambda: world.contest_finish(rental), soon(world, world.now + DAY)


@rule(
    "release of a holdback", P.FINISH_WINDOW, error=errors.ContestWindowOpen, gain="the host's money, so much earlier"
)
def _release(world: World) -> Timed:
    rental = finished(world)
    return lambda: world.release_holdback(rental), soon(world, world.now + DAY)


@rule("match of a request", error=errors.RequestOver, ends=True, gain="matches late, or keeps a late match out")
def _match(world: World) -> Timed:
    request = requested(world)
    return lambda: world.match_request(request), soon(world, world.now + DAY)


@rule("end of a request", error=errors.RequestNotExpired, gain="the tip, before others")
def _expire(world: World) -> Timed:
    request = requested(world)
    return lambda: world.expire_request(request), soon(world, world.now + DAY)


@rule(
    "priority of stakers",
    P.PRIORITY_WINDOW,
    error=errors.PriorityWindow,
    gain="an idle machine, before wallets without stake may take it",
)
def _priority(world: World) -> Timed:
    world.act(set_parameter(P.PRIORITY_WINDOW, 60))
    world.run(60)
    world.act(world.stop_rental(running(world, TENANT)))
    return world.open_rental, soon(world, world.now + 60)


@rule(
    "order on a machine",
    P.OFFLINE_AFTER,
    error=errors.ListingOffline,
    ends=True,
    gain="keeps an order out, or lets one in to a host that is overdue",
)
def _order(world: World) -> Timed:
    return world.open_rental, world.listing().last_heartbeat_at + 301


@rule(
    "stop before the end",
    error=errors.RentalExpired,
    ends=True,
    gain="a tip: the rental ends by the instruction that pays it, and for the same seconds",
)
def _stop(world: World) -> Timed:
    rental = running(world)
    return lambda: world.stop_rental(rental), soon(world, world.now + HOUR)


@rule(
    "finish by the host",
    error=errors.RentalExpired,
    ends=True,
    gain="a tip: the rental ends by the instruction that pays it, and for the same seconds",
)
def _finish(world: World) -> Timed:
    rental = running(world, may_finish=True)
    return lambda: world.finish_rental(rental), soon(world, world.now + HOUR)


@rule(
    "rating", P.MIN_RATED_SECONDS, error=errors.RatedTooSoon, gain="a rating, so much earlier; it weighs what was paid"
)
def _rate(world: World) -> Timed:
    rental = running(world)
    return lambda: world.rate_rental(rental), soon(world, world.now + 600)


@rule(
    "rating of a finished rental",
    P.FINISH_WINDOW,
    error=errors.ContestWindowOver,
    ends=True,
    gain="rates late, or keeps a late rating out",
)
def _rate_finished(world: World) -> Timed:
    rental = finished(world)
    return lambda: world.rate_rental(rental), soon(world, world.now + DAY)


@rule(
    "loss of a holdback that its host cannot take",
    P.FINISH_WINDOW,
    error=errors.PayeeNotPayable,
    gain="fees of the market, so much earlier, from a host that could not be paid for a whole window",
)
def _lose_holdback(world: World) -> Timed:
    rental = finished(world, mint=WSOL)
    make_program(world, HOST)
    at = world.now + 2 * DAY
    world.wait(2 * DAY - 5)
    return lambda: world.release_holdback(rental), at
