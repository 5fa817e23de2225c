"""`gpu-market host maintenance`."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from solders.pubkey import Pubkey

from host_agent.listings.maintenance import Maintenance
from host_agent.listings.offering import Offering
from market_cli import paths
from market_cli.commands.host.maintenance import _look
from market_cli.units import moment
from tests.host_agent import openssh
from tests.markets.marketplace import Marketplace

SCRIPT = str(Path(sys.executable).with_name("gpu-market"))
DAY = 86_400


async def maintains(marketplace: Marketplace, folder: Path, *words: str, code: int = 0) -> Any:
    """Output of `host maintenance`: JSON or an error."""
    (folder / "id.json").write_text(marketplace.host.to_json())
    command = [SCRIPT, "--json", "--rpc", marketplace.cluster.rpc_url, "--keypair", str(folder / "id.json")]
    own = {"GPU_MARKET_WS_URL": marketplace.cluster.ws_url, "XDG_CONFIG_HOME": str(folder / "config")}
    own |= {"GPU_MARKET_HOST_STATE_DIR": str(folder)}
    words = ("host", "maintenance", *words)
    done = await openssh.run(*command, *words, environment={**os.environ, **own})
    assert done.code == code, done
    return done.error if code else json.loads(done.out)


async def test_maintenance__planned_shown_and_cancelled__the_agents_directory_has_it(
    marketplace: Marketplace, tmp_path: Path
) -> None:
    listing = str(marketplace.listings[0])
    async with marketplace.market(marketplace.host) as market:
        now = await market.reads.now()
    at = moment(now + DAY).replace(" UTC", "").replace(" ", "T")
    assert await maintains(marketplace, tmp_path) is None
    planned = await maintains(marketplace, tmp_path, listing, "--at", at, "--for", "30m")
    assert (planned["listings"], planned["running_past"]) == ([listing], {})
    assert planned["until"] - planned["at"] == 1_800
    plan = Maintenance.read(tmp_path)
    assert plan == Maintenance([marketplace.listings[0]], planned["at"], planned["until"])
    assert (await maintains(marketplace, tmp_path))["at"] == planned["at"]
    assert (await maintains(marketplace, tmp_path, "--cancel"))["cancelled"]["at"] == planned["at"]
    assert await maintains(marketplace, tmp_path) is None
    (tmp_path / "maintenance.json").write_text("{")
    assert "--cancel" in await maintains(marketplace, tmp_path, code=2)
    assert await maintains(marketplace, tmp_path, "--cancel") == {"cancelled": None}
    assert await maintains(marketplace, tmp_path) is None


async def test_maintenance__over_or_not_mine__is_refused(marketplace: Marketplace, tmp_path: Path) -> None:
    assert "is over" in await maintains(marketplace, tmp_path, "--at", "2020-01-01", code=2)
    assert "not a time" in await maintains(marketplace, tmp_path, "--at", "soon", code=2)
    stranger = str(Pubkey.new_unique())
    assert stranger in await maintains(marketplace, tmp_path, stranger, "--at", "2100-01-01", code=2)
    assert Maintenance.read(tmp_path) is None


async def test_watch__a_look_shortens_the_longest_rental_and_cancelling_restores_it(
    marketplace: Marketplace, tmp_path: Path
) -> None:
    listing = marketplace.listings[0]
    async with marketplace.market(marketplace.host) as market:
        before = (await market.reads.listing(listing)).mrl_seconds
        now = await market.reads.now()
        plan = Maintenance([listing], now + 2 * DAY, now + 3 * DAY)
        plan.write(tmp_path)
        await _look(market, Offering(market, tmp_path), plan.listings)
        assert DAY < (await market.reads.listing(listing)).mrl_seconds < 2 * DAY
    assert await maintains(marketplace, tmp_path, "--cancel", "--watch")
    async with marketplace.market(marketplace.host) as market:
        assert (await market.reads.listing(listing)).mrl_seconds == before


def test_directory__of_the_shipped_unit__is_the_agents_unless_another_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(paths, "SERVICE_DIRECTORY", tmp_path / "none")
    assert paths.agent_directory(None) == paths.host_directory()
    monkeypatch.setattr(paths, "SERVICE_DIRECTORY", tmp_path)
    assert paths.agent_directory(None) == tmp_path and paths.agent_directory(Path("named")) == Path("named")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root writes for another user")
def test_plan__written_by_root__is_the_agents_to_read_and_remove(tmp_path: Path) -> None:
    os.chown(tmp_path, 12_345, 12_346)
    Maintenance([Pubkey.new_unique()], 1, 2).write(tmp_path)
    written = (tmp_path / "maintenance.json").stat()
    assert (written.st_uid, written.st_gid, written.st_mode & 0o777) == (12_345, 12_346, 0o600)
