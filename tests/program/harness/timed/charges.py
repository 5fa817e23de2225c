"""Rules of meters in seconds."""

from __future__ import annotations

from anchor_client.generated import errors
from anchor_client.generated.types.market_parameter import MarketParameter as P

from .. import charges
from ..actors import HOST, WSOL
from ..flows import running
from ..programs import make_program
from ..terms import DAY, HOUR
from ..world import World
from .rule import Timed, rule, soon


@rule(
    "dispute of usage",
    P.CHARGE_WINDOW,
    error=errors.NothingToDispute,
    ends=True,
    gain="disputes late, or keeps a late one out",
)
def _dispute(world: World) -> Timed:
    meter = charges.reported(world, charges.metered(world, duration=2 * DAY))
    return lambda: charges.dispute_usage(world, meter), world.now + charges.WINDOW + 1


@rule("end of a dispute", P.CHARGE_WINDOW, error=errors.DisputeOpen, gain="the renter's money, so much earlier")
def _resolve(world: World) -> Timed:
    meter = charges.disputed(world, charges.metered(world, duration=2 * DAY))
    return lambda: charges.resolve_dispute(meter), world.now + charges.WINDOW + 1


@rule(
    "opening of a meter",
    error=errors.RentalExpired,
    ends=True,
    gain="a meter of a rental that is over, or none of its last seconds: nothing is charged but what the host reports",
)
def _open(world: World) -> Timed:
    world.act(charges.set_charges())
    rental = running(world)
    return lambda: charges.open_meter(world, rental), soon(world, world.now + HOUR)


@rule(
    "last report of usage",
    P.CHARGE_WINDOW,
    error=errors.ReportTooLate,
    ends=True,
    gain="reports late, which its renter may dispute, or keeps a late report out",
)
def _report(world: World) -> Timed:
    meter = charges.ended(world, charges.metered(world, duration=2 * DAY))
    at = world.now + charges.WINDOW + 1
    world.wait(charges.WINDOW - 5)
    return lambda: charges.report_usage(world, meter, charges.FREE_MB + 1_000), at


@rule("close of a meter", P.CHARGE_WINDOW, error=errors.MeterRunning, gain="keeps a late report out")
def _close(world: World) -> Timed:
    meter = charges.ended(world, charges.metered(world, duration=2 * DAY))
    at = world.now + charges.WINDOW + 1
    world.wait(charges.WINDOW - 5)
    return lambda: charges.close_meter(world, meter), at


@rule(
    "loss of charges that their host cannot take",
    P.CHARGE_WINDOW,
    error=errors.PayeeNotPayable,
    gain="fees of the market, so much earlier, from a host that could not be paid for a whole window",
)
def _lose(world: World) -> Timed:
    meter = charges.reported(world, charges.metered(world, mint=WSOL, duration=2 * DAY))
    world.act(charges.accept_usage(world, meter))
    charges.ended(world, meter)
    make_program(world, HOST)
    at = world.now + 2 * charges.WINDOW + 1
    world.wait(charges.WINDOW + 1)
    world.act(charges.close_meter(world, meter))
    world.wait(charges.WINDOW - 6)
    return lambda: charges.close_meter(world, meter), at
