"""`gpu-market doctor` on a seeded market, as it is and with something broken in it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
from solders.account import Account
from solders.pubkey import Pubkey
from solders.token.state import Mint, TokenAccount, TokenAccountState

from anchor_client.deploy.binary import Binary
from anchor_client.doctor.examine import examine
from anchor_client.doctor.finding import Finding, Level
from anchor_client.generated.accounts import Vault
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.market import Market
from anchor_client.solana.loader import program_data
from local_market.program import PROGRAM_PATH
from tests.e2e.console import Console
from tests.e2e.seeded import SeededCluster
from tests.processes.ports import free_ports

BINARY = Binary.read(PROGRAM_PATH, PROGRAM_ID)


@pytest.fixture
async def market(seeded_cluster: SeededCluster) -> AsyncIterator[Market]:
    """The seeded market, for reading."""
    async with Market.connect(seeded_cluster.local.http_url) as found:
        yield found


def change(seeded: SeededCluster, address: Pubkey, data: bytes) -> None:
    """Replaces what an account holds."""
    cluster = seeded.local.cluster
    account = cluster.account(address)
    assert account is not None
    cluster.set_account(address, Account(account.lamports, data, account.owner))


async def found(market: Market, **known: Any) -> dict[tuple[str, Level], list[Finding]]:
    """Findings, by check and level."""
    findings: dict[tuple[str, Level], list[Finding]] = {}
    for one in await examine(market, binary=BINARY, **known):
        findings.setdefault((one.check, one.level), []).append(one)
        assert one.remedy or one.level is Level.OK
    return findings


async def test_examine__market_that_is_well__finds_no_failure(seeded_cluster: SeededCluster, market: Market) -> None:
    findings = await found(market, keeper=seeded_cluster.keys.keeper.pubkey())
    assert not [one for (_, level), some in findings.items() if level is Level.FAILURE for one in some]
    for check in (
        "node",
        "clock",
        "fees",
        "finality",
        "program",
        "parameters",
        "mints",
        "prices",
        "vaults",
        "hosts",
        "rentals",
        "keeper",
    ):
        assert (check, Level.OK) in findings, check
    assert ("index", Level.WARNING) in findings, "no API is configured"


async def test_examine__vaults_short_or_frozen__are_failures(seeded_cluster: SeededCluster, market: Market) -> None:
    mint = seeded_cluster.seeded.tokens.market_token.mint
    vaults = list((await market.reads.vaults(mint)).values())
    for vault, wrong in zip(vaults, ("short", "frozen"), strict=False):
        account = seeded_cluster.local.cluster.account(vault.token_account)
        assert account is not None
        held = TokenAccount.from_bytes(account.data)
        state = TokenAccountState.Frozen if wrong == "frozen" else held.state
        amount = held.amount - 1 if wrong == "short" else held.amount
        changed = TokenAccount(held.mint, held.owner, amount, None, state, None, 0)
        change(seeded_cluster, vault.token_account, bytes(changed))
    told = [one.message for one in (await found(market))["vaults", Level.FAILURE]]
    assert len(told) == 2 and any("owes" in one for one in told) and any("frozen" in one for one in told)


async def test_examine__code_that_is_another__is_a_failure(seeded_cluster: SeededCluster, market: Market) -> None:
    address = program_data(PROGRAM_ID)
    account = seeded_cluster.local.cluster.account(address)
    assert account is not None
    change(seeded_cluster, address, bytes(account.data)[:-1] + b"\x07")
    assert ("program", Level.FAILURE) in await found(market)


@pytest.mark.exhaustive
async def test_examine__time_passes__prices_and_the_clock_are_told(
    seeded_cluster: SeededCluster, market: Market
) -> None:
    seeded_cluster.local.cluster.warp(2_000)
    findings = await found(market)
    assert ("prices", Level.WARNING) in findings and ("clock", Level.WARNING) in findings
    seeded_cluster.local.cluster.warp(2_000)
    assert len((await found(market))["prices", Level.FAILURE]) == 2, "the market token and SOL; USDC is pinned"


@pytest.mark.exhaustive
async def test_examine__market_token_that_can_be_frozen__is_a_failure(
    seeded_cluster: SeededCluster, market: Market
) -> None:
    mint = seeded_cluster.seeded.tokens.market_token.mint
    account = seeded_cluster.local.cluster.account(mint)
    assert account is not None
    known = Mint.from_bytes(account.data)
    change(seeded_cluster, mint, bytes(Mint(None, known.supply, known.decimals, True, mint)))
    assert ("mints", Level.FAILURE) in await found(market)


@pytest.mark.exhaustive
async def test_examine__index_or_keeper_away__is_a_failure(market: Market) -> None:
    empty = Pubkey.new_unique()
    findings = await found(market, api_url=f"http://127.0.0.1:{free_ports()}", keeper=empty)
    assert ("index", Level.FAILURE) in findings and ("keeper", Level.FAILURE) in findings


@pytest.mark.exhaustive
async def test_examine__vault_missing__is_a_warning(seeded_cluster: SeededCluster, market: Market) -> None:
    vaults = await market.reads.program.read_all(Vault)
    seeded_cluster.local.cluster.set_account(next(iter(vaults)), None)
    assert ("vaults", Level.WARNING) in await found(market)


async def test_doctor__exit_codes__are_for_cron(seeded_cluster: SeededCluster, tmp_path: Path) -> None:
    console, rpc = Console(tmp_path), ("--rpc", seeded_cluster.local.http_url)
    told = await asyncio.to_thread(console.json, "doctor", *rpc)
    assert told["status"] == "warning"
    await asyncio.to_thread(console.run, "doctor", "--strict", *rpc, code=1)
    seeded_cluster.local.cluster.warp(10_000)
    assert (await asyncio.to_thread(console.json, "doctor", *rpc, code=1))["status"] == "failure"
    nowhere = ("--rpc", f"http://127.0.0.1:{free_ports()}")
    gone = await asyncio.to_thread(console.json, "doctor", *nowhere, code=1)
    assert [one["check"] for one in gone["findings"]] == ["market"]
