"""`gpu-market keep-alive` on a cluster whose time moves."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from market_cli.main import main
from tests.market_cli.test_watch import WANTED
from tests.markets.marketplace import Marketplace


@pytest.mark.parametrize(("options", "code"), [((), 0), (("--once",), 1)])
async def test_keep_alive__allowance_of_one__extends_once_and_ends(
    marketplace: Marketplace,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
    options: tuple[str, ...],
    code: int,
) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("GPU_MARKET_WS_URL", marketplace.cluster.ws_url)
    renter = await marketplace.renter()
    key = tmp_path / "id.json"
    key.write_text(renter.to_json())
    where = ("--keypair", str(key), "--rpc", marketplace.cluster.rpc_url)
    async with marketplace.market(renter) as market:
        job = (await market.rental.open(WANTED)).id
        await marketplace.run(job)
        allowed = ("--max-extensions", "1", "--max-total", "1000", "--extend-by", "300s", "--before", "2h")
        command = ["keep-alive", str(job), *allowed, "--json", *where]
        assert await asyncio.to_thread(main, [*command, "--once"]) == 0
        told = json.loads(capfd.readouterr().out)
        assert (told["extensions"], told["duration"]) == (1, 3_900)
        assert await asyncio.to_thread(main, [*command, *options]) == code
        assert "AllowanceSpent" in (output := capfd.readouterr()).out or "no further extensions" in output.err
        assert (await market.reads.rental(job)).duration == 3_900
        await market.rental.stop(job)
