"""`gpu-market host list`: hardware that is stated, detected, or unknown."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from solders.pubkey import Pubkey
from solders.system_program import TransferParams, transfer

from anchor_client.generated.pdas import find_host
from market_cli.commands.host.list import parse_split, shares_of
from market_cli.errors import BadOption
from tests.host_agent import openssh
from tests.host_agent.detect.test_gpus import SMI, answering, install
from tests.markets.marketplace import REGION, Marketplace

SLOTS = ("18", "2A", "3A", "5D", "9A", "AB", "BA", "DB")
EIGHT = answering(
    [f"00000000:{slot}:00.0, 0x233010DE, NVIDIA H100 80GB HBM3, 81559, 550.90.07" for slot in SLOTS],
    ["| NVIDIA-SMI 550.90.07              Driver Version: 550.90.07      CUDA Version: 12.4     |"],
)
ENOUGH_FOR_SIX = 48_000_000
"""Lamports for the accounts of six listings and not of eleven."""
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
    assert account.cpu_cores == max((os.cpu_count() or 1) * 24 // 32, 1), "the other model's GPU has the rest"
    assert account.disk_mbps == hardware["disk_mbps"]["value"]
    assert found["disk_mbps"] == "detected" or account.disk_mbps == 1
    assert (found["up_mbps"], found["down_mbps"]) == ("unknown", "unknown"), "nobody has measured the line"
    assert (account.net_up_mbps, account.net_down_mbps) == (1, 1)


async def test_list__split__divides_the_machine_and_one_command_closes_all(
    marketplace: Marketplace, tmp_path: Path
) -> None:
    (tmp_path / "id.json").write_text(marketplace.host.to_json())
    command = [SCRIPT, "--json", "--rpc", marketplace.cluster.rpc_url, "--keypair", str(tmp_path / "id.json"), "host"]
    whole = {"gpus": 8, "vram-gb": 24, "cpu-cores": 64, "ram-gb": 512, "disk-gb": 4_000, "disk-mbps": 3_000}
    line = {"up-mbps": 1_000, "down-mbps": 2_003, "cuda": "12.8", "disk": "nvme", "price": "4.00"}
    stated = [word for name, value in (whole | line).items() for word in (f"--{name}", str(value))]
    ends = {"GPU_MARKET_WS_URL": marketplace.cluster.ws_url, "XDG_CONFIG_HOME": str(tmp_path / "config")}
    own = {**os.environ, **ends}
    lists = [*command, "list", "--gpu", "nvidia-rtx-4090-24gb", "--region", REGION, "--hidden", *stated]
    refused = await openssh.run(*lists, "--split", "3", environment=own)
    assert refused.code != 0 and "8 GPUs cannot be divided by 3" in refused.error
    done = await openssh.run(*lists, "--split", "8", environment=own)
    assert done.code == 0, done
    listings = json.loads(done.out)["listings"]
    assert len(set(listings)) == 8
    async with marketplace.market(marketplace.host) as market:
        for each in map(Pubkey.from_string, listings):
            one = await market.reads.listing(each)
            assert (one.gpu_count, one.vram_gb, one.cpu_cores, one.ram_gb, one.disk_gb) == (1, 24, 8, 64, 500)
            assert (one.net_up_mbps, one.net_down_mbps, one.disk_mbps) == (125, 250, 375)
            assert (one.on_demand_usd, one.spot_min_usd, one.cuda) == (500_000, 300_000, 1208)
        overlapping = await openssh.run(*lists, "--split", "1,2", environment=own)
        assert overlapping.code == 0, overlapping
        nested = json.loads(overlapping.out)["listings"]
        counts = [(await market.reads.listing(Pubkey.from_string(each))).gpu_count for each in nested]
        assert counts == [8, 4, 4]
        listings += nested
        closed = await openssh.run(*command, "close", *listings, environment=own)
        assert closed.code == 0 and json.loads(closed.out)["listings"] == listings, closed
        known = await market.reads.listings_of(find_host(marketplace.host.pubkey(), market.program_id)[0])
        assert not set(map(str, known)) & set(listings)


async def test_list__eight_gpus_as_nvidia_smi_prints_them__one_command_lists_whole_halves_and_each_and_one_closes_all(
    marketplace: Marketplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path / "bin", EIGHT, monkeypatch)
    (tmp_path / "id.json").write_text(marketplace.host.to_json())
    command = [SCRIPT, "--rpc", marketplace.cluster.rpc_url, "--keypair", str(tmp_path / "id.json"), "host"]
    ends = {"GPU_MARKET_WS_URL": marketplace.cluster.ws_url, "XDG_CONFIG_HOME": str(tmp_path / "config")}
    own = {**os.environ, **ends}
    here = ("--disk-path", str(tmp_path), "--engine", f"unix://{tmp_path}/none.sock", "--disk-mbps", "3000")
    wanted = ("--gpu", "nvidia-h100-sxm5-80gb", "--region", REGION, "--price", "16", "--split", "1,2,8", "--hidden")
    few = await openssh.run(*command, "list", *wanted, *here, "--cpu-cores", "6", "--ram-gb", "512", environment=own)
    assert few.code == 2 and "6 CPU cores and 512 GB of memory are too few for 8 machines" in few.error
    hardware = ("--cpu-cores", "64", "--ram-gb", "512")
    done = await openssh.run(*command, "list", *wanted, *here, *hardware, environment=own)
    assert done.code == 0, done
    shares = dict(re.findall(r"--listing\s+(\w+)=([\d,]+)", done.out))
    cards = [str(number) for number in range(8)]
    assert [*shares.values()] == [",".join(cards), ",".join(cards[:4]), ",".join(cards[4:]), *cards]
    async with marketplace.market(marketplace.host) as market:
        host = find_host(marketplace.host.pubkey(), market.program_id)[0]
        for listing, gpus in shares.items():
            one, count = await market.reads.listing(Pubkey.from_string(listing)), len(gpus.split(","))
            assert (one.gpu_count, one.vram_gb, one.cuda) == (count, 80, 1204)
            assert one.on_demand_usd == 2_000_000 * count
        closed = await openssh.run(*command, "close", *shares, *shares, environment=own)
        assert closed.code == 0, closed
        assert not set(map(str, await market.reads.listings_of(host))) & shares.keys()


async def test_list__sol_for_some_of_several__says_which_are_listed(marketplace: Marketplace, tmp_path: Path) -> None:
    host = marketplace.host
    (tmp_path / "id.json").write_text(host.to_json())
    command = [SCRIPT, "--rpc", marketplace.cluster.rpc_url, "--keypair", str(tmp_path / "id.json"), "host"]
    own = {**os.environ, "GPU_MARKET_WS_URL": marketplace.cluster.ws_url, "XDG_CONFIG_HOME": str(tmp_path / "config")}
    hardware = [
        "--gpus",
        "8",
        "--vram-gb",
        "24",
        "--cpu-cores",
        "64",
        "--ram-gb",
        "512",
        "--disk",
        "nvme",
        "--disk-gb",
        "4000",
        "--cuda",
        "12.8",
    ]
    wanted = ("--gpu", "nvidia-rtx-4090-24gb", "--region", REGION, "--price", "8", "--split", "1,2,8", "--hidden")
    async with marketplace.market(host) as market:
        place = find_host(host.pubkey(), market.program_id)[0]
        before = await market.reads.listings_of(place)
        left = await market.reads.program.balance(host.pubkey()) - ENOUGH_FOR_SIX
        spend = transfer(TransferParams(from_pubkey=host.pubkey(), to_pubkey=Pubkey.new_unique(), lamports=left))
        await market.session.send([spend])
        done = await openssh.run(*command, "list", *wanted, *hardware, environment=own)
        added = {str(each) for each in set(await market.reads.listings_of(place)) - set(before)}
        assert done.code == 1 and "6 of 11 machines are listed, then:" in done.error and len(added) == 6
        assert set(done.error.partition("gpu-market host close ")[2].split()) == added
        closed = await openssh.run(*command, "close", *added, environment=own)
        assert closed.code == 0, closed


@pytest.mark.parametrize("text", ["0", "1,", "x", "256", "", "1.5"])
def test_split__no_number_of_parts__is_refused(text: str) -> None:
    with pytest.raises(BadOption):
        parse_split(text)


def test_split__several_numbers__each_covers_the_machine() -> None:
    assert parse_split("8,1,2,8") == [1, 2, 8]
    listings = [Pubkey.new_unique() for _ in range(3)]
    specs = [cast(Any, SimpleNamespace(gpu_count=count)) for count in (4, 2, 2)]
    assert [each.partition("=")[2] for each in shares_of(listings, specs, 4)] == ["0,1,2,3", "0,1", "2,3"]


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
