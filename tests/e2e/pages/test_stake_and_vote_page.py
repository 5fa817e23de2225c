"""docs/stake-and-vote.md's walkthrough, on a market of its own, since it ends in the stakers' hands for good."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.console import Console
from tests.e2e.pages.walk import walking
from tests.e2e.seeded import UpProcess
from tests.indexer.databases import in_time

STAKE = 200_000 * 10**6


@pytest.mark.exhaustive
async def test_stake_and_vote_page__walkthrough__earns_and_changes_a_parameter(
    start_up: Callable[..., UpProcess], tmp_path: Path
) -> None:
    up = start_up(Console(tmp_path / "home"), tmp_path / "a" / "market")

    def parameter(name: str) -> int:
        return int(up.console.json("governance", "parameters")["parameters"][name])

    def reaches(stage: str) -> Callable[[], None]:
        def reached() -> None:
            assert up.console.json("governance", "show", "0")["stage"] == stage

        return reached

    async with walking("docs/stake-and-vote.md", "Try it", up, tmp_path / "staker") as staker:
        await staker.types("staking stake")
        up.begin_epoch()
        await staker.types("staking fund")
        assert "earns rewards" in await staker.types("staking show")
        up.begin_epoch()
        assert "Claimed" in await staker.types("staking claim")
        assert up.console.json("staking", "show")["active"] == str(STAKE)
        await staker.types("governance hand-over --final")
        await staker.types("governance propose")
        await staker.types("governance vote")
        assert "Pay keepers more" in await staker.types("governance show")
        [vote] = up.console.json("governance", "show", "0")["votes"]
        assert vote["weight"] == str(STAKE)
        before = parameter("tip_lamports")
        up.warp(parameter("voting_period"))
        in_time(reaches("queued"))
        up.warp(parameter("timelock"))
        in_time(reaches("executed"))
        assert before != parameter("tip_lamports") == 25_000
        assert "executed" in await staker.types("governance list")
        await staker.types("governance close-vote")
        await staker.types("governance close")
        await staker.types("staking unstake")
        up.begin_epoch()
        await staker.types("staking withdraw")
        await staker.types("staking close")
        assert up.console.json("staking", "withdraw", code=2)["error"]
