"""Listings that an agent serves, and the part of its machine that an order gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import AsyncMock

import pytest
import structlog
from solders.pubkey import Pubkey
from structlog.testing import capture_logs

from anchor_client.generated.accounts import Listing
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.generated.types import ListingSpec
from anchor_client.rules.catalog import find_gpu
from anchor_client.sealing import SealKey
from anchor_client.solana.wallet import Wallet
from host_agent.detect.gpus import DetectedGpu, Gpus, LeftOutGpu
from host_agent.docker.engine import Engine
from host_agent.docker.isolation import Isolation
from host_agent.errors import HostConfigurationError
from host_agent.images.rules import GB, ImageRules
from host_agent.listings.health_watch import HealthWatch
from host_agent.listings.listed_watch import ListedWatch
from host_agent.listings.overlap import SharedMachine
from host_agent.listings.shortfalls import KnownMachine, shortfalls
from host_agent.preparation import (
    _listings,
    _require_exclusive,
    _require_isolation,
    known_machine,
    machine_settings,
    served_shares,
)
from host_agent.settings.agent import AgentSettings
from host_agent.settings.machine import ALL_GPUS, GIBIBYTE, ContainerLimits, MachineCapacity, Share

OPERATOR = Wallet.generate()
CAPACITY = MachineCapacity(cpus=16, memory_bytes=64 * GIBIBYTE)


def listing(**known: Any) -> Listing:
    """A listing with the fields that matter here."""
    values = dict.fromkeys(Listing.LAYOUT.layouts, 0)
    return cast(Listing, Listing(**{**values, "operator": OPERATOR.pubkey, "cpu_cores": 8, "ram_gb": 32, **known}))


def settings(state_dir: Path, *shares: Share) -> AgentSettings:
    return AgentSettings(
        address="gpu.test",
        rpc_url="http://127.0.0.1",
        ws_url="ws://127.0.0.1",
        api_url="http://127.0.0.1",
        wallet=OPERATOR,
        seal_key=SealKey.generate(),
        state_dir=state_dir,
        shares=shares,
    )


def test_agent__second_listing_comes_while_it_runs__serves_its_own_after_a_restart(tmp_path: Path) -> None:
    first, second, of_another = Pubkey.new_unique(), Pubkey.new_unique(), Pubkey.new_unique()
    known = {first: listing(), of_another: listing(operator=Pubkey.new_unique())}
    assert served_shares(settings(tmp_path), known, OPERATOR.pubkey) == [Share(first, ALL_GPUS)]
    known[second] = listing()
    assert served_shares(settings(tmp_path), known, OPERATOR.pubkey) == [Share(first, ALL_GPUS)]


def test_agent__its_listing_is_gone__takes_the_only_other(tmp_path: Path) -> None:
    first, second = Pubkey.new_unique(), Pubkey.new_unique()
    served_shares(settings(tmp_path), {first: listing()}, OPERATOR.pubkey)
    assert served_shares(settings(tmp_path), {second: listing()}, OPERATOR.pubkey) == [Share(second, ALL_GPUS)]


@pytest.mark.parametrize(("count", "said"), [(0, "No listing of this host is operated by"), (2, "several listings")])
def test_agent__never_told_which_of_its_listings__asks(tmp_path: Path, count: int, said: str) -> None:
    known = {Pubkey.new_unique(): listing() for _ in range(count)}
    with pytest.raises(HostConfigurationError, match=said):
        served_shares(settings(tmp_path), known, OPERATOR.pubkey)


def test_agent__several_listings_and_a_tenant_of_another_keys__says_which_is_which(tmp_path: Path) -> None:
    own, others = Pubkey.new_unique(), Pubkey.new_unique()
    known = {own: listing(), others: listing(operator=Pubkey.new_unique())}
    with pytest.raises(HostConfigurationError) as caught:
        served_shares(settings(tmp_path), known, OPERATOR.pubkey, {others: Pubkey.new_unique()})
    assert f"? {own}, {others} (of another operator; its tenant is here)" in caught.value.message


def test_agent__another_key_operates_its_listing__takes_it_while_a_tenant_is_left(tmp_path: Path) -> None:
    first = Pubkey.new_unique()
    served_shares(settings(tmp_path), {first: listing()}, OPERATOR.pubkey)
    known, named = {first: listing(operator=Pubkey.new_unique())}, settings(tmp_path, Share(first, ALL_GPUS))
    for given in (settings(tmp_path), named):
        assert list(served_shares(given, known, OPERATOR.pubkey, {first})) == [Share(first, ALL_GPUS)]
        with pytest.raises(HostConfigurationError, match="operated by"):
            served_shares(given, known, OPERATOR.pubkey, {Pubkey.new_unique()})


async def test_listings__host_is_not_approved__names_the_wallet_and_who_approves_it() -> None:
    key, wallet = SealKey.generate(), Pubkey.new_unique()
    host = SimpleNamespace(seal_key=key.public, approved=False)
    reads = SimpleNamespace(host=AsyncMock(return_value=host), listings_of=AsyncMock(return_value={}))
    market = SimpleNamespace(address=wallet, program_id=PROGRAM_ID, reads=reads)
    with capture_logs() as logs:
        assert await _listings(cast(Any, SimpleNamespace(owner=None, seal_key=key)), cast(Any, market)) == {}
    [told] = logs
    assert (told["event"], told["wallet"]) == ("host_not_approved", str(wallet))
    assert f"gpu-market host approve {wallet}" in told["remedy"]


def test_limits__none_set__are_what_is_listed() -> None:
    limits = ContainerLimits().within(listing(), CAPACITY)
    assert (limits.cpus, limits.memory_bytes) == (8, 32 * GIBIBYTE)


def test_limits__more_listed_than_there_is__are_what_there_is() -> None:
    limits = ContainerLimits().within(listing(cpu_cores=64, ram_gb=512), CAPACITY)
    assert (limits.cpus, limits.memory_bytes) == (16, 64 * GIBIBYTE)


def test_memory__all_of_it_listed__the_host_keeps_its_reserve() -> None:
    one, half, rest = listing(ram_gb=64), listing(ram_gb=32), 63 * GIBIBYTE
    assert ContainerLimits().within(one, CAPACITY.part_of(64, 64)).memory_bytes == rest
    halves = [ContainerLimits().within(half, CAPACITY.part_of(32, 64)).memory_bytes for _ in range(2)]
    assert halves == [rest // 2] * 2
    assert ContainerLimits().within(half, CAPACITY.part_of(32, 32)).memory_bytes == 32 * GIBIBYTE
    small = MachineCapacity(cpus=1, memory_bytes=GIBIBYTE)
    assert small.part_of(32, 32).memory_bytes == GIBIBYTE // 16 * 15


@pytest.mark.parametrize(("given", "most"), [(None, 3 * GB), (5, 5)])
def test_images__no_limit_set__may_be_as_large_as_the_listed_disk(tmp_path: Path, given: int | None, most: int) -> None:
    mine = replace(settings(tmp_path), images=ImageRules(max_bytes=given))
    machine = machine_settings(mine, Share(Pubkey.new_unique(), ()), 20_000, listing(disk_gb=3), CAPACITY)
    assert machine.images.max_bytes == most


def test_limits__set__stay() -> None:
    limits = ContainerLimits(cpus=0.5, memory_bytes=GIBIBYTE).within(listing(), CAPACITY)
    assert (limits.cpus, limits.memory_bytes) == (0.5, GIBIBYTE)


@pytest.mark.parametrize("has_quota", [False, True])
def test_limits__of_the_disk__are_what_is_listed(has_quota: bool) -> None:
    listed, machine = listing(disk_gb=500), MachineCapacity(8, 2**36, limits_disk=has_quota)
    limits = ContainerLimits().within(listed, machine)
    assert (limits.disk_bytes, limits.workspace_bytes) == (500 * 10**9, 500 * 10**9)
    assert limits.has_disk_quota is has_quota
    assert ContainerLimits(disk_bytes=7).within(listed, machine).disk_bytes == 7


def test_disk__nothing_limits_tenants__one_is_let_in_and_only_the_owner_can_do_that(tmp_path: Path) -> None:
    shares = [Share(Pubkey.new_unique(), ()) for _ in range(2)]
    mine, free = settings(tmp_path), SharedMachine(shares)
    alone = SharedMachine(shares, one_tenant=True)
    theirs = replace(mine, owner=Pubkey.new_unique())
    with structlog.testing.capture_logs() as logs:
        _require_exclusive(mine, alone, OPERATOR.pubkey)
    assert [each["event"] for each in logs] == ["one_tenant_at_a_time"]
    _require_exclusive(theirs, free, OPERATOR.pubkey)
    _require_exclusive(theirs, SharedMachine(shares[:1], one_tenant=True), OPERATOR.pubkey)
    with pytest.raises(HostConfigurationError, match="Nothing limits a tenant"):
        _require_exclusive(theirs, alone, OPERATOR.pubkey)


RTX_4090 = find_gpu("nvidia-rtx-4090-24gb")
AS_LISTED = {
    **{"cpu_cores": 16, "ram_gb": 64, "disk_gb": 1_000, "cuda": 1208},
    **{"gpu_model": RTX_4090.id, "gpu_count": 2, "vram_gb": 24},
}


def gpu(**parts: Any) -> DetectedGpu:
    """An RTX 4090."""
    known: dict[str, Any] = {
        "bus": "0",
        "pci": RTX_4090.pci[0],
        "name": None,
        "vram_gib": 23.99,
        "driver": "570",
        "pcie_width": 16,
    }
    return DetectedGpu(**known | parts)


def machine(**parts: Any) -> KnownMachine:
    """One that has what AS_LISTED says."""
    known: dict[str, Any] = {"capacity": CAPACITY, "disk_gb": 950, "gpus": Gpus([gpu(), gpu()], "12.8")}
    return KnownMachine(**known | parts)


def overstated(found: KnownMachine, *listed: Listing, gpus: Sequence[str] = ()) -> list[str]:
    """Shortfalls of a machine with these listings, which have these GPUs each, such as `0,1`."""
    shares = [
        Share(Pubkey.new_unique(), (gpus[place] if gpus else str(place)).split(",")) for place in range(len(listed))
    ]
    listings = {share.listing: each for share, each in zip(shares, listed, strict=True)}
    return list(shortfalls(found, listings, SharedMachine(shares)))


@pytest.mark.parametrize(
    ("parts", "changes", "told"),
    [
        ({}, {}, []),
        ({}, {"cpu_cores": 17}, ["17 CPU cores"]),
        ({}, {"ram_gb": 77}, ["77 GB of RAM"]),
        ({}, {"disk_gb": 1_056}, ["1056 GB of disk"]),
        ({"disk_gb": None}, {"disk_gb": 10**6}, []),
        ({}, {"gpu_count": 3}, ["3 x RTX 4090 are listed, and there are 2"]),
        ({}, {"gpu_model": find_gpu("nvidia-rtx-4090-d-24gb").id}, ["there are 0"]),
        ({}, {"vram_gb": 48}, ["48 GB of VRAM"]),
        ({}, {"cuda": 1209}, ["CUDA 12.9 is listed, and the driver supports 12.8"]),
        (
            {"gpus": Gpus([gpu()], "12.8", [LeftOutGpu("1", None, "GPU is lost")])},
            {},
            ["there are 1; GPU at 1: GPU is lost"],
        ),
        ({"gpus": Gpus([gpu(vram_gib=10.0), gpu()], "12.8")}, {}, ["2 x RTX 4090 with 24 GB of VRAM or more"]),
        ({"gpus": None}, {"gpu_count": 8, "cuda": 1300}, []),
        ({"gpus": None, "gpu_fault": "nvidia-smi fails"}, {}, ["nvidia-smi fails"]),
    ],
)
def test_shortfalls__machine_and_listing__names_what_is_less(
    parts: dict[str, Any], changes: dict[str, int], told: list[str]
) -> None:
    found = overstated(machine(**parts), listing(**AS_LISTED | changes))
    assert len(found) == len(told) and all(words in each for words, each in zip(told, found, strict=True)), found


def test_shortfalls__two_listings_of_one_machine__count_together() -> None:
    half = AS_LISTED | {"gpu_count": 1, "cpu_cores": 8, "ram_gb": 32, "disk_gb": 500}
    assert overstated(machine(), *[listing(**half)] * 2) == []
    assert len(overstated(machine(), *[listing(**half)] * 3)) == 4


def test_shortfalls__listings_that_share_gpus__count_once() -> None:
    whole, half = AS_LISTED, AS_LISTED | {"gpu_count": 1, "cpu_cores": 8, "ram_gb": 32, "disk_gb": 500}
    listed = [listing(**whole), listing(**half), listing(**half)]
    assert overstated(machine(), *listed, gpus=["0,1", "0", "1"]) == []
    assert len(overstated(machine(), *listed, gpus=["0,1", "2", "3"])) == 4
    assert len(overstated(machine(), *listed, gpus=["all", "0", "1"])) == 0


def test_shortfalls__gpus_of_two_sizes__each_listing_has_those_that_are_large_enough() -> None:
    half = AS_LISTED | {"gpu_count": 1, "cpu_cores": 8, "ram_gb": 32, "disk_gb": 500}
    small, large = listing(**half), listing(**half | {"vram_gb": 48})
    mixed = machine(gpus=Gpus([gpu(), gpu(vram_gib=47.99)], "12.8"))
    assert overstated(mixed, small, large) == []
    assert overstated(mixed, large, large) == ["2 x RTX 4090 with 48 GB of VRAM or more are listed, and there are 1"]


class _Market:
    def __init__(self, address: Pubkey) -> None:
        self.address = address
        self.hidden: list[Pubkey] = []
        self.host = self

    async def update_listing(self, address: Pubkey, spec: ListingSpec) -> None:
        assert not spec.visible and spec.cpu_cores == 17
        self.hidden.append(address)


def watching(
    market: _Market, owner: Pubkey, listings: Mapping[Pubkey, Listing], found: Sequence[KnownMachine | None]
) -> ListedWatch:
    """A watch that finds these machines, one after another."""
    machines = iter(found)
    last = list(found)[-1]

    async def known() -> KnownMachine | None:
        return next(machines, last)

    return ListedWatch(cast(Any, market), owner, known, listings, interval=0)


@pytest.mark.parametrize("is_owner", [True, False])
async def test_agent__machine_is_less_than_listed__is_hidden_by_its_owner(is_owner: bool) -> None:
    market, owner = _Market(OPERATOR.pubkey), OPERATOR.pubkey if is_owner else Pubkey.new_unique()
    shown, hidden = Pubkey.new_unique(), Pubkey.new_unique()
    less = AS_LISTED | {"cpu_cores": 17}
    known = {shown: listing(**less, visible=1), hidden: listing(**less, visible=0)}
    with structlog.testing.capture_logs() as logs:
        watch = watching(market, owner, known, [machine()])
        await watch.look()
        assert watch.shortfalls[0] == "34 CPU cores are listed, and there are 16"
        watch.tell({shown: listing(**AS_LISTED, visible=1)})
        await watch.look()
        assert watch.shortfalls == []
        elsewhere = watching(market, owner, known, [None])
        await elsewhere.look()
        assert elsewhere.shortfalls == []
    assert market.hidden == ([shown] if is_owner else [])
    hidden_events = ["listing_hidden"] * is_owner
    assert [each["event"] for each in logs] == ["machine_less_than_listed", *hidden_events, "machine_as_listed"]


async def test_agent__gpu_falls_off_the_bus_later__takes_no_orders_until_it_is_back() -> None:
    lost = machine(gpus=Gpus([gpu()], "12.8", [LeftOutGpu("1", None, "GPU is lost")]))
    dead = machine(gpus=None, gpu_fault="nvidia-smi fails: Failed to initialize NVML: Unknown Error")
    found: list[KnownMachine | None] = [machine(), lost, dead, machine()]
    listings = {Pubkey.new_unique(): listing(**AS_LISTED, visible=1)}
    listed = watching(_Market(OPERATOR.pubkey), Pubkey.new_unique(), listings, found)
    watch = HealthWatch(Pubkey.new_unique(), (), listed)
    for told in (None, "GPU is lost", "Failed to initialize NVML", None):
        await watch.look()
        assert [told in each for each in watch.faults if told] == [True] * (told is not None)


async def test_agent__looked_just_now__compares_changed_listings_with_what_it_saw() -> None:
    asked = []

    async def known() -> KnownMachine:
        asked.append(None)
        return machine()

    address = Pubkey.new_unique()
    watch = ListedWatch(
        cast(Any, _Market(OPERATOR.pubkey)), Pubkey.new_unique(), known, {address: listing(**AS_LISTED)}
    )
    for changes, less in (({}, 0), ({"gpu_count": 3}, 1), ({}, 0)):
        watch.tell({address: listing(**AS_LISTED | changes)})
        await watch.look()
        assert len(watch.shortfalls) == less
    assert len(asked) == 1


@pytest.mark.parametrize(("driver", "logged"), [("systemd", ["gpus_lost_at_reload"]), ("cgroupfs", [])])
async def test_agent__systemd_would_take_the_gpus_away__says_how_to_keep_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, driver: str, logged: list[str]
) -> None:
    found = Isolation.of({"CgroupDriver": driver, "SecurityOptions": ["name=seccomp"], "Driver": "zfs"}, "")

    class Reporting:
        async def isolation(self) -> Isolation:
            return found

    monkeypatch.setattr("host_agent.preparation.dump_program", lambda: None)
    monkeypatch.setattr(
        "host_agent.preparation.unlinked", lambda paths: [path for path in paths if "linked" not in path]
    )
    with structlog.testing.capture_logs() as logs:
        await _require_isolation(cast(Engine, Reporting()), settings(tmp_path), ["/dev/nvidia0"])
        await _require_isolation(cast(Engine, Reporting()), settings(tmp_path), ["/dev/linked"])
        await _require_isolation(cast(Engine, Reporting()), settings(tmp_path), [])
    assert [each["event"] for each in logs if each["log_level"] == "warning"] == logged


def test_machine__gpus_of_the_share__get_their_nodes_once(tmp_path: Path) -> None:
    given = replace(settings(tmp_path), devices=("/dev/kfd", "/dev/nvidiactl"))
    share = Share(Pubkey.new_unique(), ("0",))
    made = machine_settings(given, share, 20_000, listing(), CAPACITY, ["/dev/nvidia0", "/dev/nvidiactl"])
    assert made.devices == ["/dev/kfd", "/dev/nvidiactl", "/dev/nvidia0"]


async def test_known_machine__engine_elsewhere__is_unknown(tmp_path: Path) -> None:
    assert await known_machine(tmp_path / "elsewhere", CAPACITY, has_gpus=False) is None
    here = await known_machine(tmp_path, CAPACITY, has_gpus=False)
    assert here is not None and here.disk_gb is not None and here.gpus is None
