"""For every instruction about a meter a market in which it works, next to the tenant's meter at the other host."""

from __future__ import annotations

from collections.abc import Callable

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated.pdas import find_rental

from . import meters
from .actors import RIVAL_LISTING, TENANT
from .flows import running
from .meters import WINDOW
from .terms import HOUR
from .world import World

Prepare = Callable[[World], Instruction]


def _with_meter(act: Callable[[World, Pubkey], Instruction]) -> Prepare:
    """The renter's meter has just opened, and so has the tenant's."""

    def prepare(world: World) -> Instruction:
        world.act(meters.set_charges(RIVAL_LISTING))
        world.act(meters.open_meter(world, find_rental(TENANT, 0)[0]))
        return act(world, meters.metered(world))

    return prepare


def _open(world: World) -> Instruction:
    world.act(meters.set_charges())
    return meters.open_meter(world, running(world))


def _report(world: World, meter: Pubkey) -> Instruction:
    world.run(HOUR // 2)
    return meters.report_usage(world, meter, meters.FREE_MB + 1_000, 100)


def _resolve(world: World, meter: Pubkey) -> Instruction:
    meters.disputed(world, meter)
    world.wait(WINDOW + 1)
    return meters.resolve_dispute(meter)


def _settle(world: World, meter: Pubkey) -> Instruction:
    meters.reported(world, meter)
    world.wait(WINDOW + 1)
    return meters.settle_meter(world, meter)


def _end(world: World, meter: Pubkey) -> Instruction:
    world.act(world.stop_rental(meters.read(world, meter).rental))
    return meters.end_meter(world, meter)


def _close(world: World, meter: Pubkey) -> Instruction:
    meters.ended(world, meters.reported(world, meter))
    world.wait(WINDOW + 1)
    return meters.close_meter(world, meter)


METERING: dict[str, Prepare] = {
    "set_charges": lambda world: meters.set_charges(),
    "open_meter": _open,
    "report_usage": _with_meter(_report),
    "dispute_usage": _with_meter(lambda world, meter: meters.dispute_usage(world, meters.reported(world, meter))),
    "accept_usage": _with_meter(lambda world, meter: meters.accept_usage(world, meters.disputed(world, meter))),
    "resolve_dispute": _with_meter(_resolve),
    "settle_meter": _with_meter(_settle),
    "end_meter": _with_meter(_end),
    "close_meter": _with_meter(_close),
}
