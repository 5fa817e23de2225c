"""`gpu-market host list`: hardware that is stated, detected, or unknown."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any

import pytest
from solders.pubkey import Pubkey

from tests.host_agent import openssh
from tests.host_agent.detect.test_gpus import SMI, install
from tests.markets.marketplace import REGION, Marketplace

SCRIPT = str(Path(sys.executable).with_name("gpu-market"))


async def list_machine(marketplace: Marketplace, folder: Path, *options: str) -> tuple[dict[str, Any], Any]:
    """Lists a machine; returns what the command prints, and the account."""
    (folder / "id.json").write_text(marketplace.host.to_json())
    command = [SCRIPT, "--json", "--rpc", marketplace.cluster.rpc_url, "--keypair", str(folder / "id.json")]
    command += ["host", "list", "--gpu", "nvidia-rtx-4090-24gb", "--price", "0.40", "--region", REGION, "--hidden"]
    command += ["--disk-path", str(folder), "--engine", f"unix://{folder}/none.sock", *options]
    own = {"GPU_MARKET_WS_URL": marketplace.cluster.ws_url, "XDG_CONFIG_HOME": str(folder / "config")}
    done = await openssh.run(*command, environment={**os.environ, **own})
    assert done.code == 0, done
    shown: dict[str, Any] = json.loads(done.out)
    async with marketplace.market(marketplace.host) as market:
        address = Pubkey.from_string(shown["listing"])
        account = await market.reads.listing(address)
        await market.host.close_listing(address)
    return shown["hardware"], account


async def test_list__nothing_is_stated__lists_what_is_there(
    marketplace: Marketplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "bin", SMI, monkeypatch)
    hardware, account = await list_machine(marketplace, tmp_path)
    found = {name: each["origin"] for name, each in hardware.items()}
    for name in ("gpus", "vram_gb", "cpu_cores", "ram_gb", "disk_gb", "cuda"):
        assert found[name] == "detected"
    assert "stated" not in found.values()
    assert (account.gpu_count, account.vram_gb, account.cuda) == (1, 24, 1208)
    assert account.cpu_cores == max((os.cpu_count() or 1) // 2, 1), "the other model's GPU has the other half"
    assert account.disk_mbps == hardware["disk_mbps"]["value"]
    assert found["disk_mbps"] == "detected" or account.disk_mbps == 1
    assert (found["up_mbps"], found["down_mbps"]) == ("unknown", "unknown"), "nobody has measured the line"
    assert (account.net_up_mbps, account.net_down_mbps) == (1, 1)


async def test_list__machine_without_the_gpu__is_marked_as_stated_or_unknown(
    marketplace: Marketplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    stated = ("--cpu-cores", "16", "--ram-gb", "64", "--disk", "nvme", "--up-mbps", "500", "--disk-mbps", "900")
    hardware, account = await list_machine(marketplace, tmp_path, *stated)
    origins = {name: each["origin"] for name, each in hardware.items()}
    assert {name for name, origin in origins.items() if origin == "stated"} == {
        *("cpu_cores", "ram_gb", "disk", "up_mbps", "disk_mbps")
    }
    assert (origins["gpus"], origins["cuda"], account.gpu_count, account.cuda) == ("unknown", "unknown", 1, 0)
    assert (account.cpu_cores, account.ram_gb, account.disk_kind, account.vram_gb) == (16, 64, 0, 24)
