"""Governance from the command line: hand-over, proposal, vote, count and execution."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from solders.account import Account
from solders.keypair import Keypair

from anchor_client.generated.program import PROGRAM_ID
from tests.e2e.console import Console
from tests.e2e.seeded import SeededCluster
from tests.markets.stake import pooled, staked

STAKE = 10**12
VOTING_PERIOD = 259_200
TIMELOCK = 86_400


def key_file(folder: Path, keypair: Keypair) -> str:
    path = folder / f"{keypair.pubkey()}.json"
    path.write_text(json.dumps(list(bytes(keypair))))
    return str(path)


@pytest.mark.exhaustive
async def test_govern__from_hand_over_to_execution__by_commands(seeded_cluster: SeededCluster, tmp_path: Path) -> None:
    local, staker, console = seeded_cluster.local, Keypair(), Console(tmp_path)
    for wallet in (staker, seeded_cluster.keys.guardian):
        local.cluster.airdrop(wallet.pubkey(), 10**10)
    for address, data in (staked(staker.pubkey(), STAKE), pooled(STAKE)):
        local.cluster.set_account(address, Account(10**9, data, PROGRAM_ID))
    keys = seeded_cluster.keys
    mine, theirs, guardian = (key_file(tmp_path, key) for key in (staker, keys.authority, keys.guardian))

    async def govern(*arguments: str, key: str = mine, code: int = 0) -> Any:
        """One command, in a thread: the cluster is served by this one."""
        everywhere = ("--rpc", local.http_url, "--keypair", key)
        return await asyncio.to_thread(partial(console.json, "governance", *arguments, *everywhere, code=code))

    await govern("hand-over", "--final", key=theirs)
    made = await govern("propose", "parameter", "tip_lamports", "7", "--title", "Cheaper cranks")
    assert (made["id"], made["stage"], made["title"]) == (0, "voting", "Cheaper cranks")
    assert made["action"] == {"kind": "set_parameter", "parameter": "tip_lamports", "value": 7}
    assert (await govern("vote", "0", "for"))["weight"] == str(STAKE)
    assert (await govern("queue", "0", code=2))["error"] == "VoteOpen"
    shown = await govern("show", "0")
    assert (shown["title"], shown["passes"]) == ("Cheaper cranks", True)
    assert [vote["voter"] for vote in shown["votes"]] == [str(staker.pubkey())]
    local.cluster.warp(VOTING_PERIOD)
    assert (await govern("queue", "0"))["stage"] == "queued"
    assert (await govern("execute", "0", code=2))["error"] == "TimelockRunning"
    local.cluster.warp(TIMELOCK)
    await govern("execute", "0")
    await govern("close-vote", "0")
    assert [one["stage"] for one in await govern("list")] == ["executed"]
    assert await govern("list", "--stage", "voting") == []
    gpu = await govern("propose", "gpu", "nvidia-rtx-4090-24gb", "40", "0.19")
    assert gpu["action"] == {"kind": "set_gpu_model", "number": 6, "terms": {"points": 40, "reference_usd": 190_000}}
    assert (await govern("propose", "gpu", "60000", "1", "0", code=2))["error"] == "ProposalLive"
    await govern("cancel", "1")
    assert (await govern("propose", "gpu", "60000", "1", "0"))["action"]["number"] == 60_000
    await govern("cancel", "2")
    assert (await govern("close", "2"))["id"] == 2
    new_mint = str(Keypair().pubkey())
    rewards = await govern("propose", "rewards", new_mint, "--title", "Share it")
    assert rewards["action"] == {"kind": "add_reward_mint", "mint": new_mint}
    assert (await govern("veto", "3", key=guardian, code=2))["error"] == "WrongProposalState"
    await govern("cancel", "3")
    paused = await govern("propose", "pause", "orders")
    assert (await govern("cancel", str(paused["id"])))["id"] == 4
    settings = await govern("parameters")
    assert (settings["testing"], settings["paused"]) == (True, [])
    assert settings["parameters"]["tip_lamports"] == "7"
    assert (await govern("show", "99", code=2))["error"] == "UnknownProposal"


@pytest.mark.exhaustive
def test_demo_govern__market_of_its_own__what_was_voted_for_is_done(tmp_path: Path) -> None:
    console = Console(tmp_path)
    result = console.json("demo", "--scenario", "governance")
    assert result["agree"] is True
    assert [one["stage"] for one in result["proposals"]] == ["executed", "executed"]
