"""People's work in a market without agents and keepers: claims of what is owed, scores and marks of hosts."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from solders.account import Account
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.generated.pdas import find_host, find_listing
from anchor_client.generated.types import MarketParameter
from anchor_client.market import Market, RentalWanted
from anchor_client.solana.tokens import associated_token
from local_market.terms import LOCALNET_TERMS
from tests.e2e.console import Console
from tests.e2e.seeded import SeededCluster

REGION = "eu-west"
HOUR = 3_600
OFFLINE_AFTER = LOCALNET_TERMS.parameters[MarketParameter.OFFLINE_AFTER]
ANSWER_WINDOW = LOCALNET_TERMS.parameters[MarketParameter.ANSWER_WINDOW]
STATE_OF_ACCOUNT = 108
INITIALIZED, FROZEN = 1, 2


@dataclass
class Stage:
    """A renter's market, a listing of a host that nobody serves, and anyone's console."""

    cluster: SeededCluster
    market: Market
    host: Market
    listing: Pubkey
    console: Console
    options: tuple[str, ...]

    async def json(self, *arguments: str) -> Any:
        return await asyncio.to_thread(self.console.json, *arguments, *self.options)

    async def say(self, *arguments: str) -> str:
        """Output of a command, without the line breaks that its width asks for."""
        done = await asyncio.to_thread(self.console.run, *arguments, *self.options)
        return " ".join(done.stdout.split())

    async def refused(self, *arguments: str) -> str:
        """The message of a refusal, which comes with a remedy."""
        done = await asyncio.to_thread(lambda: self.console.run(*arguments, *self.options, code=2))
        message, remedy = done.stderr.splitlines()
        assert remedy
        return message

    def set_frozen(self, owner: Pubkey, *, frozen: bool) -> None:
        cluster, address = self.cluster.local.cluster, associated_token(owner, self.cluster.keys.usdc_mint.pubkey())
        account = cluster.account(address)
        assert account is not None
        data = bytearray(account.data)
        data[STATE_OF_ACCOUNT] = FROZEN if frozen else INITIALIZED
        cluster.set_account(address, Account(account.lamports, bytes(data), account.owner, False, account.rent_epoch))


@pytest.fixture
async def stage(seeded_cluster: SeededCluster, tmp_path: Path) -> AsyncIterator[Stage]:
    local, keys = seeded_cluster.local, seeded_cluster.keys
    file = tmp_path / "anyone.json"
    anyone = Keypair()
    file.write_text(str(list(bytes(anyone))))
    file.chmod(0o600)
    local.cluster.airdrop(anyone.pubkey(), 10**9)
    tokens = seeded_cluster.seeded.tokens.by_symbol()
    async with Market.connect(local.http_url, keys.renter, ws_url=local.ws_url, tokens=tokens) as market:
        host = market.signing_as(keys.hosts[REGION].wallet)
        listing = find_listing(find_host(host.address)[0], 0)[0]
        await host.host.heartbeat([listing])
        options = ("--rpc", local.http_url, "--keypair", str(file))
        yield Stage(seeded_cluster, market, host, listing, Console(tmp_path), options)


async def unpaid(stage: Stage, payee: Pubkey) -> str:
    """A job that has ended while the payee's account was frozen."""
    order = RentalWanted(listing=stage.listing, duration=HOUR, pay="USDC", order_hash=bytes(range(32)))
    job = (await stage.market.rental.open(order)).id
    await stage.host.rental.accept(job, b"sealed")
    await stage.host.rental.start(job)
    stage.cluster.local.cluster.warp(60)
    stage.set_frozen(payee, frozen=True)
    await stage.market.rental.stop(job)
    return str(job)


async def test_claim__job_that_owes_its_renter__is_told_and_paid_once_they_can_be(stage: Stage) -> None:
    renter = stage.market.address
    job = await unpaid(stage, renter)
    shown = await stage.json("job", job)
    assert shown["status"] == "completed" and int(shown["owed"]) == int(shown["refunded"]) > 0
    assert [each["id"] for each in await stage.json("jobs", "--renter", str(renter))] == [job]
    assert f"gpu-market claim {job}" in await stage.say("job", job)
    assert "payee" in await stage.refused("claim", job)
    stage.set_frozen(renter, frozen=False)
    claimed = await stage.json("claim", job)
    assert (claimed["renter"], claimed["amount"]) == (str(renter), shown["owed"])
    assert (await stage.json("job", job))["owed"] == "0"
    assert await stage.json("jobs", "--renter", str(renter)) == []
    assert job in await stage.refused("claim", job)


@pytest.mark.exhaustive
async def test_host_claim__listing_that_owes_its_host__is_told_and_takes_orders_again(stage: Stage) -> None:
    host, listing = stage.host.address, str(stage.listing)
    await unpaid(stage, host)
    shown = await stage.json("listing", listing)
    assert (shown["status"], shown["available"]) == ("owing", False) and int(shown["owed"]) > 0
    assert shown["owed_mint"] == str(stage.cluster.keys.usdc_mint.pubkey())
    for page in (("listing", listing), ("host", "show", str(host))):
        assert f"gpu-market host claim {listing}" in await stage.say(*page)
    assert "payee" in await stage.refused("host", "claim", listing)
    stage.set_frozen(host, frozen=False)
    claimed = await stage.json("host", "claim", listing)
    assert (claimed["host_authority"], claimed["amount"]) == (str(host), shown["owed"])
    after = await stage.json("listing", listing)
    assert (after["owed"], after["owed_mint"], after["available"]) == ("0", None, True)
    await stage.refused("host", "claim", listing)


async def test_host_show__job_has_ended__has_what_waits_to_be_counted_and_the_score_that_follows(stage: Stage) -> None:
    host = str(stage.host.address)
    before = await stage.json("host", "show", host)
    order = RentalWanted(listing=stage.listing, duration=HOUR, pay="USDC", order_hash=bytes(range(32)))
    job = (await stage.market.rental.open(order)).id
    await stage.host.rental.accept(job, b"sealed")
    await stage.host.rental.start(job)
    stage.cluster.local.cluster.warp(HOUR // 2)
    await stage.market.rental.rate(job, 5)
    await stage.market.rental.stop(job)
    shown = await stage.json("host", "show", host)
    waiting = shown["waiting"]
    assert (waiting["completed"], waiting["failed"], waiting["refused"]) == (1, 0, 0)
    assert waiting["paid_usd"] > 0 and waiting["rating_sum"] == 5 * waiting["rating_weight"] > 0
    assert shown["counted"]["rentals_completed"] == before["counted"]["rentals_completed"]
    assert shown["counted_after"]["rentals_completed"] == before["counted"]["rentals_completed"] + 1
    assert "1 completed, 0 failed" in await stage.say("host", "show", host)
    scored = await stage.json("host", "score", host)
    after = await stage.json("host", "show", host)
    assert scored["counted"] == shown["counted_after"] == after["counted_after"] == after["counted"]
    assert set(after["waiting"].values()) == {0}
    assert "wait to be counted" not in await stage.say("host", "show", host)


@pytest.mark.exhaustive
async def test_host_mark__host_that_is_gone__is_marked_and_then_proven_silent(stage: Stage) -> None:
    clock, listing = stage.cluster.local.cluster, str(stage.listing)
    await stage.refused("host", "mark", listing)
    clock.warp(OFFLINE_AFTER + 1)
    marked = await stage.json("host", "mark", listing)
    shown = await stage.json("listing", listing)
    assert shown["silence"] == marked["silence"] == "marked" and shown["status"] == "offline"
    assert shown["answer_by"] == marked["answer_by"] > shown["silent_since"] == shown["last_heartbeat_at"]
    assert "may answer until" in await stage.say("listing", listing)
    clock.warp(ANSWER_WINDOW + 1)
    assert "Silent since" in await stage.say("host", "mark", listing)
    proven = await stage.json("listing", listing)
    assert (proven["silence"], proven["answer_by"], proven["silent_since"]) == ("silent", None, shown["silent_since"])
    assert "offline, silent" in await stage.say("listings")
    await stage.refused("host", "mark", listing)
    await stage.host.host.heartbeat([stage.listing])
    heard = await stage.json("listing", listing)
    assert (heard["silence"], heard["silent_since"], heard["available"]) == ("heard", None, True)
