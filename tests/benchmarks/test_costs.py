"""Costs of instructions: every one of the IDL, the same in every run, within the targets."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from anchor_client.generated.accounts.rental import Rental
from benchmarks.costs.cost import cost_of
from benchmarks.suite.program import measure
from tests.program.harness.scenarios import SCENARIOS

IDL = json.loads((Path(__file__).parents[2] / "idl" / "gpu_market.json").read_text())


def test_scenarios__idl__cover_every_instruction() -> None:
    assert set(SCENARIOS) == {instruction["name"] for instruction in IDL["instructions"]}


@pytest.mark.parametrize("name", ["open_rental", "finalize_rental", "heartbeat"])
def test_cost_of__run_again__is_the_same(name: str) -> None:
    assert cost_of(name, *SCENARIOS[name]()) == cost_of(name, *SCENARIOS[name]())


def test_cost_of__rental__gives_its_rent_and_tip_back() -> None:
    world, instruction = SCENARIOS["open_rental"]()
    opening = cost_of("open_rental", world, instruction)
    ending = cost_of("finalize_rental", *SCENARIOS["finalize_rental"]())
    assert opening.rent_locked == world.cluster.rent(Rental.SIZE)
    assert opening.tip_escrowed == ending.tip_paid == world.market().tip_lamports
    assert ending.returned == opening.rent_locked + opening.tip_escrowed
    assert (opening.fee, opening.tip_paid, opening.returned) == (5_000, 0, 0)


async def test_measure__program__meets_every_target() -> None:
    seen: list[str] = []
    report = await measure(seen.append)
    assert seen == list(SCENARIOS) == [row["instruction"] for row in report.details]
    assert [figure.name for figure in report.figures if figure.met is False] == []
