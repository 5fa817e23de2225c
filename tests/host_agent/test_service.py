"""Listings that an agent serves, and the part of its machine that an order gets."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest
import structlog
from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Listing
from anchor_client.sealing import SealKey
from anchor_client.solana.wallet import Wallet
from host_agent.errors import HostConfigurationError
from host_agent.images import GB, ImageRules
from host_agent.service import AgentSettings, _compare_disk, _machine, served_shares
from host_agent.settings import ALL_GPUS, GIBIBYTE, ContainerLimits, MachineCapacity, Share

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


@pytest.mark.parametrize("count", [0, 2])
def test_agent__never_told_which_of_its_listings__asks(tmp_path: Path, count: int) -> None:
    known = {Pubkey.new_unique(): listing() for _ in range(count)}
    with pytest.raises(HostConfigurationError, match="Several listings"):
        served_shares(settings(tmp_path), known, OPERATOR.pubkey)


def test_limits__none_set__are_what_is_listed() -> None:
    limits = ContainerLimits().within(listing(), CAPACITY)
    assert (limits.cpus, limits.memory_bytes) == (8, 32 * GIBIBYTE)


def test_limits__more_listed_than_there_is__are_what_there_is() -> None:
    limits = ContainerLimits().within(listing(cpu_cores=64, ram_gb=512), CAPACITY)
    assert (limits.cpus, limits.memory_bytes) == (16, 64 * GIBIBYTE)


@pytest.mark.parametrize(("given", "most"), [(None, 3 * GB), (5, 5)])
def test_images__no_limit_set__may_be_as_large_as_the_listed_disk(tmp_path: Path, given: int | None, most: int) -> None:
    mine = replace(settings(tmp_path), images=ImageRules(max_bytes=given))
    machine = _machine(mine, Share(Pubkey.new_unique(), ()), 0, listing(disk_gb=3), CAPACITY)
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


@pytest.mark.parametrize(("listed", "warned"), [(1, False), (10**6, True)])
def test_agent__more_disk_listed_than_there_is__says_so(tmp_path: Path, listed: int, warned: bool) -> None:
    with structlog.testing.capture_logs() as logs:
        _compare_disk(tmp_path, [listing(disk_gb=listed)])
        _compare_disk(tmp_path / "elsewhere", [listing(disk_gb=listed)])
    assert [each["event"] for each in logs] == ["disk_smaller_than_listed"] * warned
