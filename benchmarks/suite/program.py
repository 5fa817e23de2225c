"""Compute units and lamports of every instruction, by the compiled program under the mainnet feature set.

A rental is paid in the market token, with subsidy and burn. Nothing here depends on the machine.
"""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from typing import Final

from anchor_client.generated.accounts.rental import Rental
from benchmarks.costs.cost import Cost, cost_of
from benchmarks.figures import Figure, Progress, Report, at_most
from tests.program.harness.scenarios import SCENARIOS
from tests.program.measure_compute_units import LIFE, TARGETS, WHOLE_LIFE

RENTAL_BYTES_TARGET: Final = 264


async def measure(progress: Progress) -> Report:
    """Runs every instruction once, each from a market of its own."""
    costs: dict[str, Cost] = {}
    for name, scenario in SCENARIOS.items():
        progress(name)
        costs[name] = cost_of(name, *scenario())
        await asyncio.sleep(0)
    return Report(figures(costs), [asdict(cost) for cost in costs.values()])


def figures(costs: dict[str, Cost]) -> list[Figure]:
    """The figures that have a target, and what a rental costs its renter in lamports."""
    opening = costs["open_rental"]
    ending = costs["finalize_rental"]
    units = [Figure(name, costs[name].compute_units, "CU", at_most(bound)) for name, bound in TARGETS.items()]
    returned = ending.returned - ending.tip_paid
    whole = sum(costs[name].compute_units for name in LIFE)
    return [
        *units,
        Figure("open + accept + start + finalize", whole, "CU", at_most(WHOLE_LIFE)),
        Figure("Rental account", Rental.SIZE, "bytes", at_most(RENTAL_BYTES_TARGET)),
        Figure("rent locked while a rental lives", opening.rent_locked, "lamports"),
        Figure(
            "rent that does not come back",
            opening.rent_locked - returned,
            "lamports",
            at_most(0),
        ),
        Figure("tip for whoever ends it", opening.tip_escrowed, "lamports"),
    ]
