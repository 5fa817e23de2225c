"""A keeper whose node answers oddly, lies about what has landed, or takes its money away. Invariant KPR-2."""

from __future__ import annotations

import pytest
from solders.keypair import Keypair

from anchor_client.errors import WrongEndpoint
from keeper.loop import run_once
from tests.anchor_client.solana.proxy import Proxy
from tests.keeper.test_service import serving, until
from tests.markets.parties import DURATION, TIP, SettingsOf, World

SAMPLED = ("html", "null")
ODD = {
    "html": "<html><body>502 Bad Gateway</body></html>",
    "null": '{"jsonrpc":"2.0","id":1,"result":null}',
    "nothing": "",
    "list": "[]",
    "garbage": '{"jsonrpc":"2.0","id":1,"result":{"context":{"slot":9},"value":[null,null]}}',
    "short": '{"jsonrpc":"2.0","id":1,"result":{"context":{"slot":9},"value":[]}}',
    "nested": "[" * 20_000,
}


@pytest.mark.parametrize(
    "odd",
    [pytest.param(odd, id=name, marks=() if name in SAMPLED else pytest.mark.exhaustive) for name, odd in ODD.items()],
)
async def test_run_service__odd_answers_for_a_whole_pass__goes_on(world: World, settings: SettingsOf, odd: str) -> None:
    [party] = world.running(1)
    async with (
        Proxy(world.local.http_url) as proxy,
        serving(settings(rpc_url=proxy.url, max_interval_seconds=0.1)) as service,
    ):
        for method in ("getMultipleAccounts", "getProgramAccounts"):
            proxy.bodies[method] = [odd] * 3
            await until(lambda method=method: not proxy.bodies[method])  # type: ignore[misc]
        world.warp(DURATION)
        await world.until_ended(party.rentals[0])
    assert service.summary is not None and service.summary.exit_code == 0


async def test_run_service__node_moves_away__goes_on_once_it_is_back(world: World, settings: SettingsOf) -> None:
    [party] = world.running(1)
    async with (
        Proxy(world.local.http_url) as proxy,
        serving(settings(rpc_url=proxy.url, max_interval_seconds=0.1)) as service,
    ):
        proxy.statuses["getProgramAccounts"] = 403
        await until(lambda: bool(service.value("pass_failures_total", error="WrongEndpoint")))
        proxy.statuses.clear()
        world.warp(DURATION)
        await world.until_ended(party.rentals[0])


async def test_run_service__no_node_at_the_url__ends_at_once(world: World, settings: SettingsOf) -> None:
    async with Proxy(world.local.http_url) as proxy:
        proxy.statuses["getMultipleAccounts"] = 404
        proxy.statuses["simulateTransaction"] = 404
        with pytest.raises(WrongEndpoint):
            async with serving(settings(rpc_url=proxy.url)):
                pytest.fail("it runs without a node")


@pytest.mark.parametrize("lies", [1, 2, 10**9], ids=["once", "twice", "always"])
async def test_run_once__landed_but_reported_unknown_and_too_old__is_counted(
    world: World, settings: SettingsOf, lies: int
) -> None:
    world.running(3)
    keeper = world.wallet()
    before = world.lamports(keeper.pubkey())
    world.warp(DURATION)
    told = 0

    def unknown(result: object) -> object:
        nonlocal told
        told += 1
        return {"context": {"slot": 9}, "value": [None]} if told <= lies else result

    async with Proxy(world.local.http_url) as proxy:
        proxy.changes["getSignatureStatuses"] = unknown
        proxy.changes["getBlockHeight"] = lambda height: height + 10_000
        summary = await run_once(settings(rpc_url=proxy.url, keypair=keeper))
    assert (len(summary.ended), summary.earned_lamports) == (3, 3 * TIP)
    assert world.lamports(keeper.pubkey()) - before == summary.earned_lamports - summary.spent_lamports


async def test_run_service__each_pass__tells_the_balance(world: World, settings: SettingsOf) -> None:
    keeper = world.wallet()
    [party] = world.running(1)
    async with serving(settings(keypair=keeper, max_interval_seconds=0.1)) as service:
        assert service.value("balance_lamports") == world.lamports(keeper.pubkey())
        world.warp(DURATION)
        await world.until_ended(party.rentals[0])
        await until(lambda: service.value("balance_lamports") == world.lamports(keeper.pubkey()))


async def test_run_service__empty_wallet__tells_so(world: World, settings: SettingsOf) -> None:
    async with serving(settings(keypair=Keypair(), max_interval_seconds=0.1)) as service:
        assert service.value("balance_lamports") == 0
