"""Measures what every instruction costs with fixed addresses; run as a module it freezes the figures.

python -m tests.program.measure_compute_units
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from .harness import charges
from .harness.actors import HOST, LISTING, LISTINGS, MINTS, RENTER, USDC, WSOL
from .harness.endings import ENDINGS
from .harness.flows import opened, running
from .harness.market import seeded_world
from .harness.scenarios import SCENARIOS
from .harness.terms import HOUR
from .harness.world import World

FROZEN = Path(__file__).with_name("compute_units.json")
LIFE = ("open_rental", "accept_rental", "start_rental", "finalize_rental")
TARGETS = {
    "open_rental": 6_700,
    "match_request": 8_300,
    "settle_rental": 3_700,
    "stop_rental": 6_000,
    "finalize_rental": 5_400,
    "heartbeat": 3_700,
    "vote": 3_600,
    "place_bid": 8_100,
    "outbid": 11_200,
    "preempt": 7_900,
    "advance_epoch": 2_700,
    "claim": 4_000,
}
"""Compute units, little above what is reached; a heartbeat is of eight listings."""
WHOLE_LIFE = 15_500
"""Of all steps of LIFE. Nosana's jobs program takes 77,600 from list to clean, measured."""

BINARY_BYTES = 745_360
"""Most that the program may take of an account, whose rent its deployer pays."""


def measurements() -> dict[str, int]:
    """Compute units by instruction, each in the market token with subsidy and burn unless the name says otherwise."""
    figures = {}
    for name, scenario in SCENARIOS.items():
        world, instruction = scenario()
        figures[name] = world.act(instruction).compute_units
    for symbol, mint in (("usdc", USDC), ("wsol", WSOL)):
        figures.update({f"{name} in {symbol}": cost for name, cost in life(seeded_world(), mint).items()})
    for count in (1, 2, 4):
        world = seeded_world()
        world.wait(60)
        figures[f"heartbeat of {count}"] = world.act(world.heartbeat(HOST, *LISTINGS[:count])).compute_units
    figures["settle_rental with nothing to pay"] = _cost(World.settle_rental, running)
    figures["stop_rental before the start"] = _cost(World.stop_rental, opened)
    figures["stop_rental with a meter"] = _cost(World.stop_rental, lambda world: _metered(world, HOUR // 2))
    figures["finalize_rental with a meter"] = _cost(World.finalize_rental, lambda world: _metered(world, HOUR))
    for ending in ENDINGS:
        figures[f"{ending.name} after settling"] = _after_settling(ending.prepare, ending.act)
    return figures


def life(world: World, mint: Pubkey = MINTS[0], renter: Pubkey = RENTER, listing: Pubkey = LISTING) -> dict[str, int]:
    """Compute units of each step of a rental that runs to its end."""
    costs = {}
    costs["open_rental"] = world.act(world.open_rental(renter, listing, mint)).compute_units
    rental = world.listing(listing).current
    costs["accept_rental"] = world.act(world.accept_rental(rental)).compute_units
    costs["start_rental"] = world.act(world.start_rental(rental)).compute_units
    world.run(HOUR, world.listing(listing).authority, listing)
    costs["finalize_rental"] = world.act(world.finalize_rental(rental)).compute_units
    return costs


def _cost(act: Callable[..., Instruction], prepare: Callable[..., Pubkey]) -> int:
    world = seeded_world()
    return world.act(act(world, prepare(world))).compute_units


def _metered(world: World, seconds: int) -> Pubkey:
    """A rental of an hour that has run for so long, with a meter."""
    rental = charges.read(world, charges.metered(world)).rental
    world.run(seconds)
    return rental


def _after_settling(prepare: Callable[..., Pubkey], act: Callable[..., Instruction]) -> int:
    world = seeded_world()
    rental = prepare(world)
    if world.rental(rental).started_at:
        world.act(world.settle_rental(rental))
    return world.act(act(world, rental)).compute_units


if __name__ == "__main__":
    FROZEN.write_text(json.dumps(measurements(), indent=2, sort_keys=True) + "\n")
