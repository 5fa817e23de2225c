"""An upgrade of the program by a proposal, from the command line: uploaded, voted for, executed, verified."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from solders.account import Account
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.generated.pdas import find_governance
from anchor_client.generated.program import PROGRAM_ID
from local_market.program import PROGRAM_PATH
from tests.e2e.console import Console
from tests.e2e.seeded import SeededCluster
from tests.e2e.test_governance import STAKE, VOTING_PERIOD, key_file
from tests.markets.builds import TIP_BOUND, put_buffer, second_build
from tests.markets.stake import pooled, staked

CRITICAL_TIMELOCK = 691_200


@pytest.fixture
def built(tmp_path: Path) -> Path:
    """A file with the second build."""
    path = tmp_path / "second.so"
    path.write_bytes(second_build())
    return path


@pytest.mark.exhaustive
async def test_upgrade__voted_for__runs_the_new_code(
    seeded_cluster: SeededCluster, built: Path, tmp_path: Path
) -> None:
    local, staker, console = seeded_cluster.local, Keypair(), Console(tmp_path)
    local.cluster.airdrop(staker.pubkey(), 10**11)
    for address, data in (staked(staker.pubkey(), STAKE), pooled(STAKE)):
        local.cluster.set_account(address, Account(10**9, data, PROGRAM_ID))
    mine, theirs = (key_file(tmp_path, key) for key in (staker, seeded_cluster.keys.authority))
    first = PROGRAM_PATH.read_bytes()
    build, code = str(built), second_build()

    async def run(*arguments: str, key: str = mine, code: int = 0) -> Any:
        """One command, in a thread: the cluster is served by this one."""
        everywhere = ("--rpc", local.http_url, "--keypair", key)
        return await asyncio.to_thread(partial(console.json, *arguments, *everywhere, code=code))

    assert (await run("upgrade", build, "--yes", code=2))["error"] == "NotTheAuthority"
    await run("governance", "hand-over", "--final", key=theirs)
    made = await run("upgrade", build, "--yes")
    assert (made["by_vote"], made["changed"]) == (True, False)
    assert (await run("upgrade", build, "--yes"))["buffer"] == made["buffer"], "uploaded once"
    propose = ("governance", "propose", "upgrade")
    refused = await run(*propose, str(PROGRAM_ID), code=2)
    assert refused["error"] == "BadOption" and "no buffer with code" in refused["message"]
    own = Keypair().pubkey()
    put_buffer(local.cluster, own, code, staker.pubkey())
    refused = await run(*propose, str(own), code=2)
    assert refused["error"] == "NotTheAuthority" and str(staker.pubkey()) in refused["message"]
    proposed = await run(*propose, made["buffer"])
    assert proposed["action"]["sha256"] == made["sha256"]
    await run("governance", "vote", "0", "for")
    local.cluster.warp(VOTING_PERIOD)
    await run("governance", "queue", "0")
    assert (await run("governance", "execute", "0", code=2))["error"] == "TimelockRunning"
    local.cluster.warp(CRITICAL_TIMELOCK)
    governed = find_governance(PROGRAM_ID)[0]
    put_buffer(local.cluster, Pubkey.from_string(made["buffer"]), first, governed)
    assert (await run("governance", "execute", "0", code=2))["error"] == "BufferChanged"
    assert (await run("deploy", "verify"))["matches"], "the old code"
    put_buffer(local.cluster, Pubkey.from_string(made["buffer"]), code, governed)
    await run("governance", "execute", "0")
    verified = await run("deploy", "verify", "--against", build)
    assert verified["matches"] and verified["deployed_sha256"] == made["sha256"]
    assert verified["upgrade_authority"] == str(governed)
    local.cluster.warp(1)
    refused = await run("governance", "propose", "parameter", "tip_lamports", str(TIP_BOUND), code=2)
    assert refused["error"] == "ParameterOutOfBounds", "what the new code says"
