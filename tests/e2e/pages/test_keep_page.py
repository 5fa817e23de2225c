"""docs/keep.md's walkthrough, on a market that has no other keeper."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.e2e.console import Console
from tests.e2e.pages.walk import walking
from tests.e2e.seeded import UpProcess

HALF_AN_HOUR = 1_800
AIRDROPPED = 10**9


@pytest.mark.exhaustive
async def test_keep_page__walkthrough__a_request_is_matched_and_a_rental_ended(
    start_up: Callable[..., UpProcess], tmp_path: Path
) -> None:
    up = start_up(Console(tmp_path / "home"), tmp_path / "a" / "market", "--no-keeper")
    assert "keeper" not in up.ready["metrics"]
    async with walking("docs/keep.md", "Try it", up, tmp_path / "keeper") as keeper:
        await keeper.types("rent --gpu")
        first = up.console.json("job", "@last")["id"]
        await keeper.types("request open")
        [waiting] = up.console.json("request", "list")
        assert waiting["status"] == "open"
        wallet = (await keeper.types("wallet new")).split()[0]
        await keeper.types("wallet airdrop")
        await keeper.types("keeper --once")
        matched = up.console.json("request", "show", waiting["id"])
        assert matched["status"] == "matched"
        running = await keeper.types("jobs")
        assert first in running and matched["job"] in running
        up.warp(HALF_AN_HOUR)
        assert up.console.json("job", first)["ended_at"] is None
        await keeper.types("keeper --once")
        ended = up.console.json("job", first)
        assert (ended["status"], ended["used"], ended["finalized_by"]) == ("completed", HALF_AN_HOUR, wallet)
        assert first in await keeper.types("jobs --all")
        await keeper.types("wallet show")
        mine = up.console.json("wallet", "show", "--keypair", str(keeper.reader.folder / "keeper.json"))
        [sol] = (int(one["base_units"]) for one in mine["balances"] if one["symbol"] == "SOL")
        assert sol > AIRDROPPED
