"""Holders of rights before and after the hand-over, and layouts of a market's accounts."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from solders.account import Account
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Market
from anchor_client.generated.pdas import find_governance, find_market
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.rules.layouts import VERSIONS
from anchor_client.solana.program_metadata import METADATA_PROGRAM, metadata_address
from tests.e2e.console import Console
from tests.e2e.seeded import SeededCluster
from tests.e2e.test_governance import STAKE, key_file
from tests.markets.stake import pooled, staked

GOVERNANCE = str(find_governance(PROGRAM_ID)[0])


class Terminal:
    """Commands of the market's authority, in a thread: this one serves the cluster."""

    def __init__(self, seeded: SeededCluster, folder: Path) -> None:
        self.seeded = seeded
        self._console = Console(folder)
        self._key = key_file(folder, seeded.keys.authority)

    async def __call__(self, *arguments: str, code: int = 0) -> Any:
        """Runs a command; returns the JSON document that it prints."""
        everywhere = ("--rpc", self.seeded.local.http_url, "--keypair", self._key)
        return await asyncio.to_thread(partial(self._console.json, *arguments, *everywhere, code=code))

    async def holders(self) -> dict[str, tuple[str, str | None]]:
        """Kind and address of the holder of each right."""
        found = await self("governance", "hand-over")
        return {right["name"]: (right["holder"], right["address"]) for right in found["rights"]}


@pytest.fixture
def terminal(seeded_cluster: SeededCluster, tmp_path: Path) -> Terminal:
    """A console of a seeded market's authority."""
    return Terminal(seeded_cluster, tmp_path)


def metadata_of(seed: str, authority: Pubkey | None) -> tuple[Pubkey, Account]:
    """Published metadata, which may be changed."""
    keys = bytes(PROGRAM_ID) + bytes(authority or Pubkey.default())
    data = b"\2" + keys + b"\1\1" + seed.encode().ljust(16, b"\0") + bytes((1, 0, 1, 0, 2, 0, 0, 0)) + bytes(5) + b"{}"
    return metadata_address(PROGRAM_ID, seed), Account(10**9, data, METADATA_PROGRAM)


async def test_hand_over__checklist__names_every_holder_before_and_after(terminal: Terminal) -> None:
    keys, cluster = terminal.seeded.keys, terminal.seeded.local.cluster
    maintainer = Keypair().pubkey()
    for address, account in (metadata_of("idl", None), metadata_of("security", maintainer)):
        cluster.set_account(address, account)
    found = await terminal("governance", "hand-over")
    assert found["done"] is False and found["governance"] == GOVERNANCE
    assert "staked" in found["missing"][0] and len(found["missing"]) == 1
    authority = ("key", str(keys.authority.pubkey()))
    before = await terminal.holders()
    assert before == {
        "market authority": authority,
        "treasury": ("key", str(keys.treasury.pubkey())),
        "guardian": ("key", str(keys.guardian.pubkey())),
        "upgrade authority": authority,
        "mint authority of GPUM": authority,
        "freeze authority of GPUM": ("nobody", None),
        "oracle of GPUM": ("key", str(keys.oracle.pubkey())),
        "oracle of SOL": ("key", str(keys.oracle.pubkey())),
        "maintainer of idl": ("nobody", None),
        "maintainer of security": ("key", str(maintainer)),
    }
    steps = {right["name"]: right["step"] for right in found["rights"]}
    assert "--maintainer" in steps["maintainer of idl"] and steps["maintainer of security"] is None
    staker = Keypair().pubkey()
    for address, data in (staked(staker, STAKE), pooled(STAKE)):
        cluster.set_account(address, Account(10**9, data, PROGRAM_ID))
    assert (await terminal("governance", "hand-over"))["missing"] == []
    await terminal("governance", "hand-over", "--final", "--keep-treasury")
    after = await terminal("governance", "hand-over")
    assert (after["done"], after["missing"]) == (False, []), "the treasury is still a key's"
    given = dict.fromkeys(("market authority", "upgrade authority"), ("governance", GOVERNANCE))
    assert await terminal.holders() == before | given


async def test_migrate__newest_layouts__says_so_and_counts_strange_ones(terminal: Terminal) -> None:
    found = await terminal("migrate")
    assert (found["strange"], found["migrated"]) == (0, 0)
    counted = {one["kind"]: one["accounts"] for one in found["kinds"]}
    assert counted["Market"] == 1 and counted["Listing"] == terminal.seeded.seeded.listings
    cluster, address = terminal.seeded.local.cluster, find_market(PROGRAM_ID)[0]
    account = cluster.account(address)
    assert account is not None
    data = bytearray(account.data)
    data[len(Market.DISCRIMINATOR)] = VERSIONS[Market] + 1
    cluster.set_account(address, Account(account.lamports, bytes(data), account.owner))
    assert (await terminal("migrate", code=1))["strange"] == 1
