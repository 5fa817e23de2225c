"""For every instruction about a meter a market in which it works, next to the tenant's meter at the other host."""

from __future__ import annotations

from collections.abc import Callable

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated.pdas import find_rental

from . import charges
from .actors import RIVAL_LISTING, TENANT
from .charges import WINDOW
from .cluster import FIRST_NONCE
from .flows import running
from .terms import HOUR
from .world import World

Prepare = Callable[[World], Instruction]


def _with_meter(act: Callable[[World, Pubkey], Instruction]) -> Prepare:
    """The renter's meter has just opened, and so has the tenant's."""

    def prepare(world: World) -> Instruction:
        world.act(charges.set_charges(RIVAL_LISTING))
        world.act(charges.open_meter(world, find_rental(TENANT, FIRST_NONCE)[0]))
        return act(world, charges.metered(world))

    return prepare


def _open(world: World) -> Instruction:
    world.act(charges.set_charges())
    return charges.open_meter(world, running(world))


def _report(world: World, meter: Pubkey) -> Instruction:
    world.run(HOUR // 2)
    return charges.report_usage(world, meter, charges.FREE_MB + 1_000, 100)


def _resolve(world: World, meter: Pubkey) -> Instruction:
    charges.disputed(world, meter)
    world.wait(WINDOW + 1)
    return charges.resolve_dispute(meter)


def _settle(world: World, meter: Pubkey) -> Instruction:
    charges.reported(world, meter)
    world.wait(WINDOW + 1)
    return charges.settle_meter(world, meter)


def _close(world: World, meter: Pubkey) -> Instruction:
    charges.ended(world, charges.reported(world, meter))
    world.wait(WINDOW + 1)
    return charges.close_meter(world, meter)


CHARGES_SCENARIOS: dict[str, Prepare] = {
    "set_charges": lambda world: charges.set_charges(),
    "open_meter": _open,
    "report_usage": _with_meter(_report),
    "dispute_usage": _with_meter(lambda world, meter: charges.dispute_usage(world, charges.reported(world, meter))),
    "accept_usage": _with_meter(lambda world, meter: charges.accept_usage(world, charges.disputed(world, meter))),
    "resolve_dispute": _with_meter(_resolve),
    "settle_meter": _with_meter(_settle),
    "close_meter": _with_meter(_close),
}
