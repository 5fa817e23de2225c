"""Every act, signed and landed, does what its summary says; to others and a second time it is refused by name."""

from __future__ import annotations

import pytest

from tests.indexer.acts.desk import Desk
from tests.indexer.acts.scenes import Scene
from tests.indexer.acts.scenes_of_hosts import HOSTS
from tests.indexer.acts.scenes_of_rentals import RAISED, RENTALS
from tests.indexer.acts.test_coverage import AREAS, posts
from tests.program.harness.actors import STRANGER
from tests.sweeps import sampled

SCENES = RENTALS | HOSTS
EACH = pytest.mark.parametrize("name", sampled(SCENES, every=6))


def test_scenes__of_acts__are_of_all() -> None:
    assert SCENES.keys() == {name for name in posts() if name.split("_")[0] in AREAS}


@EACH
async def test_act__signed__moves_what_its_summary_says_and_once(desk: Desk, name: str) -> None:
    await plays(desk, SCENES[name])


async def test_bid__of_a_wallet_that_waits__replaces_its_own(desk: Desk) -> None:
    await plays(desk, RAISED)


@pytest.mark.parametrize(
    "name", sampled([name for name, scene in SCENES.items() if scene.strangers is not None], every=6)
)
async def test_act__of_another_wallet__is_refused_by_name(desk: Desk, name: str) -> None:
    scene = SCENES[name]
    asked = scene.prepare(desk.market)
    assert await desk.refused(asked.path, STRANGER, **asked.body) == scene.strangers


async def plays(desk: Desk, scene: Scene) -> None:
    """An act lands; once more it is refused."""
    asked = scene.prepare(desk.market)
    act = await desk.lands(asked.path, asked.wallet, **asked.body)
    purposes = {moved["purpose"] for moved in act["summary"]["movements"]}
    assert scene.purposes <= purposes and "transfer" not in purposes, purposes
    if scene.again is not None:
        desk.cluster.warp(1)
        assert await desk.refused(asked.path, asked.wallet, **asked.body) == scene.again
