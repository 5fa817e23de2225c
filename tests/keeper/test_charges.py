"""Meters moved along by a keeper: to the second, whatever was reported, and for nobody who did not ask."""

from __future__ import annotations

import asyncio

import pytest
from solana.rpc.commitment import Confirmed
from solders.pubkey import Pubkey

from anchor_client.errors import GpuMarketError
from anchor_client.generated.accounts import Meter
from anchor_client.generated.errors import DisputeOpen, MeterRunning, UsageUndecided
from anchor_client.generated.pdas import find_meter
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.generated.types import Charges
from anchor_client.market.program import MarketProgram
from anchor_client.solana.pubsub import subscriber
from anchor_client.solana.tokens import associated_token
from anchor_client.solana.transactions import TransactionSender
from keeper.loop import run_once, run_service
from keeper.names import CrankName
from keeper.tasks.charges import (
    CLOSE_METER,
    RESOLVE_DISPUTE,
    SETTLE_METER,
    MeterSubject,
    find_charges_due,
    read_meters,
)
from keeper.tasks.task import Task, TaskAccounts
from tests.markets.parties import DURATION, Party, SettingsOf, World
from tests.processes.patience import PATIENCE
from tests.program.harness import charges

CHARGES = Charges(bandwidth_usd=10_000, bandwidth_free_gb=0, storage_usd=0)
WINDOW = 60
CAP = 50_000_000


def opened(world: World, duration: int = DURATION) -> tuple[Party, Pubkey]:
    """A party with a running rental, and the rental's meter."""
    party = world.party()
    acts, host = world.acts, party.host.pubkey()
    acts.act(charges.set_charges(party.listing, CHARGES, authority=host))
    rental = world.open(party, duration=duration)
    world.start(party)
    acts.act(charges.open_meter(acts, rental, CAP, storage_gb=0, agreed=CHARGES))
    return party, find_meter(rental)[0]


def report(world: World, meter: Pubkey) -> None:
    world.acts.act(charges.report_usage(world.acts, meter, 1_000))


def dispute(world: World, meter: Pubkey) -> None:
    world.acts.act(charges.dispute_usage(world.acts, meter))


def stop(world: World, party: Party) -> None:
    """The renter ends their rental."""
    world.acts.act(world.acts.stop_rental(party.rentals[-1]))


async def meters(world: World) -> dict[Pubkey, Meter]:
    return await world.reader.read_all(Meter)


async def assert_boundary(
    world: World, settings: SettingsOf, task: Task[MeterSubject], due_at: int, error: type[GpuMarketError] | None
) -> None:
    """The task and the program agree on the second before and the second itself."""
    for moment, due in ((due_at - 1, False), (due_at, True)):
        world.stop_clock_at(moment)
        found = await find_charges_due(world.reader, world.now())
        assert [each.task for each in found] == ([task] if due else [])
        [subject] = await read_meters(world.reader)
        host, renter = subject.host.account, subject.renter.account
        wallet = settings().wallet()
        acts = task.build(subject, TaskAccounts(wallet.pubkey, host, renter, PROGRAM_ID))
        sender = TransactionSender(world.client, MarketProgram(), commitment=world.reader.commitment)
        if due:
            await sender.prepare(acts, payer=wallet)
        elif error is not None:
            with pytest.raises(error):
                await sender.prepare(acts, payer=wallet)


async def test_settle_meter__last_second_to_dispute__is_due_after_it(world: World, settings: SettingsOf) -> None:
    _, meter = opened(world)
    report(world, meter)
    due_at = (await meters(world))[meter].reported_at + WINDOW + 1
    await assert_boundary(world, settings, SETTLE_METER, due_at, None)


async def test_resolve_dispute__last_second_to_accept__is_due_after_it(world: World, settings: SettingsOf) -> None:
    _, meter = opened(world)
    report(world, meter)
    dispute(world, meter)
    due_at = (await meters(world))[meter].disputed_at + WINDOW + 1
    await assert_boundary(world, settings, RESOLVE_DISPUTE, due_at, DisputeOpen)


async def test_run_once__rental_with_a_meter__ends_both(world: World, settings: SettingsOf) -> None:
    party, meter = opened(world)
    world.warp(DURATION)
    await run_once(settings())
    assert not world.acts.exists(party.rentals[-1])
    assert (await meters(world))[meter].ended_at > 0


@pytest.mark.parametrize("reported", [False, True])
async def test_close_meter__last_report__is_due_after_it(world: World, settings: SettingsOf, reported: bool) -> None:
    party, meter = opened(world)
    stop(world, party)
    due_at = (await meters(world))[meter].ended_at + WINDOW + 1
    if reported:
        world.stop_clock_at(due_at - 10)
        report(world, meter)
        due_at += WINDOW - 9
    error = UsageUndecided if reported else MeterRunning
    await assert_boundary(world, settings, CLOSE_METER, due_at, error)


async def test_run_once__charges__gives_every_cap_back_in_the_end(world: World, settings: SettingsOf) -> None:
    token = world.tokens.market_token
    _, meter = opened(world)
    report(world, meter)
    stopped, disputed = opened(world, duration=10 * DURATION)
    report(world, disputed)
    dispute(world, disputed)
    stop(world, stopped)
    world.warp(DURATION)
    keeper = settings(cranks={"charges"})

    first = await run_once(keeper)
    world.warp(WINDOW + 1)
    second = await run_once(keeper)

    tasks = [
        [done.task for done in each.cranks if done.address == address]
        for each in (first, second)
        for address in (meter, disputed)
    ]
    assert tasks == [["settle_meter"], ["resolve_dispute", "close_meter"], ["close_meter"], []]
    assert (first.exit_code, second.exit_code) == (0, 0)
    assert first.as_dict()["cranks"][0]["task"] == "resolve_dispute"
    assert await meters(world) == {}
    await world.assert_balanced(token)


async def test_run_once__operator_did_not_ask__leaves_meters_alone(world: World, settings: SettingsOf) -> None:
    party, meter = opened(world)
    stop(world, party)
    world.warp(WINDOW + 1)
    assert (await run_once(settings())).cranks == []
    assert meter in await meters(world)


async def test_run_once__frozen_token_account__is_set_aside(world: World, settings: SettingsOf) -> None:
    party, meter = opened(world)
    report(world, meter)
    world.warp(WINDOW + 1)
    world.freeze(associated_token(party.host.pubkey(), world.tokens.market_token.mint))
    summary = await run_once(settings(cranks={"charges"}))
    assert (summary.exit_code, summary.cranks) == (1, [])
    assert summary.cranks_failed[CrankName.CHARGES][meter].reason == "PayeeNotPayable"
    assert summary.as_dict()["cranks_failed"][0]["address"] == str(meter)


async def test_run_once__token_account_missing__is_nobodys_to_pay_for(world: World, settings: SettingsOf) -> None:
    party, meter = opened(world)
    report(world, meter)
    world.warp(WINDOW + 1)
    world.close_account(associated_token(party.host.pubkey(), world.tokens.market_token.mint))
    summary = await run_once(settings(cranks={"charges"}))
    assert summary.cranks == [] and set(summary.cranks_failed[CrankName.CHARGES]) == {meter}


async def test_run_once__host_that_cannot_be_paid__is_left_out_after_a_second_window(
    world: World, settings: SettingsOf
) -> None:
    party, meter = opened(world)
    report(world, meter)
    stop(world, party)
    world.freeze(associated_token(party.host.pubkey(), world.tokens.market_token.mint))
    keeper = settings(cranks={"charges"})
    world.warp(WINDOW + 1)
    assert [done.task for done in (await run_once(keeper)).cranks] == ["close_meter"]
    assert (await meters(world))[meter].cap > 0
    world.warp(WINDOW + 1)
    assert [done.task for done in (await run_once(keeper)).cranks] == ["close_meter"]
    assert await meters(world) == {}


async def test_run_service__meter_with_due_usage__is_moved(world: World, settings: SettingsOf) -> None:
    _, meter = opened(world, duration=10 * DURATION)
    report(world, meter)
    world.warp(WINDOW + 1)
    ready, stopping = asyncio.Event(), asyncio.Event()
    service = asyncio.create_task(run_service(settings(cranks={"charges"}), ready=ready, stop=stopping))
    try:
        async with asyncio.timeout(PATIENCE), subscriber(world.local.ws_url) as socket:
            await socket.account_subscribe(pubkey=meter, commitment=Confirmed, encoding="base64")
            async for _ in socket:
                if (await meters(world))[meter].paid:
                    break
    finally:
        stopping.set()
        summary = await service
    assert [(done.address, done.task) for done in summary.cranks] == [(meter, "settle_meter")]
