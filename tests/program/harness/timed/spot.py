"""Rules of spot orders in seconds."""

from __future__ import annotations

from anchor_client.generated import errors
from anchor_client.generated.types.market_parameter import MarketParameter as P

from ..actors import KEEPER
from ..spot import challenged, held, outbid, preempt, queued, register_stranger, withdraw_challenger
from ..world import World
from .rule import Timed, rule, soon


@rule(
    "end of a holder's grace",
    P.SPOT_GRACE,
    "LEAST_GRACE",
    "GRACE_MEMORY",
    error=errors.GraceNotOver,
    gain="the order that waits has the machine so much earlier; the holder pays for no more than the clock shows",
)
def _preempt(world: World) -> Timed:
    held(world)
    challenged(world)
    return lambda: preempt(world), soon(world, world.listing().preempt_at)


@rule(
    "bid that beats the order that waits",
    P.SPOT_GRACE,
    error=errors.TakeOverDue,
    ends=True,
    gain="a bid late, or keeps a late bid out",
)
def _outbid(world: World) -> Timed:
    held(world)
    register_stranger(world)
    challenged(world)
    return lambda: outbid(world), soon(world, world.listing().preempt_at)


@rule(
    "extension while an order waits",
    P.SPOT_GRACE,
    error=errors.RentalChallenged,
    ends=True,
    gain="extends late, or keeps a late extension out",
)
def _extend_held(world: World) -> Timed:
    rental = held(world)
    challenged(world)
    return lambda: world.extend_rental(rental), soon(world, world.listing().preempt_at)


@rule(
    "displacement before the holder's end",
    error=errors.RentalExpired,
    ends=True,
    gain="the tip of one ending instead of another",
)
def _preempt_running(world: World) -> Timed:
    rental = held(world)
    challenged(world)
    return lambda: preempt(world), soon(world, world.rental(rental).started_at + world.rental(rental).duration)


@rule(
    "displacement of a holder who has not started",
    P.PROVISION_TIMEOUT,
    error=errors.ProvisioningOverdue,
    ends=True,
    gain="the tip of one ending instead of another",
)
def _preempt_queued(world: World) -> Timed:
    at = world.now + 901
    queued(world)
    challenged(world)
    return lambda: preempt(world), soon(world, at)


@rule(
    "removal of an order that has waited in vain",
    P.SPOT_GRACE,
    P.PROVISION_TIMEOUT,
    error=errors.ChallengerInTime,
    gain="the tip, before others; the renter has all of the deposit back",
)
def _remove(world: World) -> Timed:
    held(world)
    waits = challenged(world)
    at = world.listing().preempt_at + 901
    return lambda: withdraw_challenger(world, waits, caller=KEEPER), soon(world, at)


@rule(
    "withdrawal of a bound order",
    P.SPOT_GRACE,
    P.PROVISION_TIMEOUT,
    error=errors.OrderBound,
    gain="its renter's deposit, so much earlier",
)
def _withdraw_bound(world: World) -> Timed:
    held(world)
    register_stranger(world)
    challenged(world)
    world.act(outbid(world))
    waits = world.listing().challenger
    at = world.listing().preempt_at + 901
    return lambda: withdraw_challenger(world, waits), soon(world, at)
