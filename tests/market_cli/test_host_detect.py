"""`gpu-market host detect` on a machine whose GPUs are made up."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from solders.pubkey import Pubkey

from anchor_client.rules.catalog import find_gpu
from tests.host_agent import openssh
from tests.host_agent.detect.test_gpus import SMI, install
from tests.markets.marketplace import REGION, Marketplace
from tests.processes.downloads import megabyte

SCRIPT = str(Path(sys.executable).with_name("gpu-market"))
UNKNOWN = SMI.replace("0x2D0410DE, NVIDIA GeForce RTX 5060 Ti, 8151", "0x3FFE10DE, NVIDIA New Thing, 65536")


async def detect(marketplace: Marketplace, tmp_path: Path, *options: str, code: int = 0) -> dict[str, Any]:
    """Runs the command; returns the JSON that it prints."""
    (tmp_path / "id.json").write_text(marketplace.host.to_json())
    command = [SCRIPT, "--json", "--rpc", marketplace.cluster.rpc_url, "--keypair", str(tmp_path / "id.json")]
    command += ["host", "detect", "--disk-path", str(tmp_path), "--engine", f"unix://{tmp_path}/none.sock", *options]
    own = {"GPU_MARKET_WS_URL": marketplace.cluster.ws_url, "XDG_CONFIG_HOME": str(tmp_path / "config")}
    done = await openssh.run(*command, environment={**os.environ, **own})
    assert done.code == code, done
    shown: dict[str, Any] = json.loads(done.out)
    return shown


@pytest.mark.exhaustive
async def test_detect__two_models__prints_a_command_for_each_and_what_to_propose(
    marketplace: Marketplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "bin", UNKNOWN, monkeypatch)
    shown = await detect(marketplace, tmp_path, "--price", "0.50")
    assert [gpu["id"] for gpu in shown["gpus"]] == ["nvidia-rtx-4090-24gb", "16382"]
    known, unknown = shown["commands"]
    assert known.startswith("gpu-market host list --gpu nvidia-rtx-4090-24gb --gpus 1 --vram-gb 24 --cpu-cores ")
    assert "--gpu 16382 --gpus 1 --vram-gb 64 " in unknown and unknown.endswith(" --price 0.50 --longest 30d")
    assert shown["proposals"] == ["gpu-market governance propose gpu 16382 0 0.500000 --title 'Add GPU model 16382'"]
    assert shown["cuda"] == "12.8" and shown["measured_mb_per_second"]["memory_copy"] > 0
    assert shown["listings"] == []


async def test_detect__list__lists_what_it_has_found(
    marketplace: Marketplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "bin", SMI, monkeypatch)
    with megabyte() as url:
        shown = await detect(
            marketplace, tmp_path, "--download", url, "--list", "--price", "0.40", "--region", REGION, "--hidden"
        )
    async with marketplace.market(marketplace.host) as market:
        found = [await market.reads.listing(Pubkey.from_string(address)) for address in shown["listings"]]
        for address in shown["listings"]:
            await market.host.close_listing(Pubkey.from_string(address))
    assert [listing.gpu_model for listing in found] == [
        find_gpu("nvidia-rtx-4090-24gb").id,
        find_gpu("nvidia-rtx-5060-ti-8gb").id,
    ]
    assert {(one.gpu_count, one.on_demand_usd, one.spot_min_usd, one.cuda) for one in found} == {
        (1, 400_000, 240_000, 1_208)
    }
    assert {(one.net_down_mbps, one.net_up_mbps) for one in found} == {(shown["download_mbps"], 1)}
    assert all(one.ram_gb > 0 and one.disk_gb > 0 and not one.visible for one in found)
