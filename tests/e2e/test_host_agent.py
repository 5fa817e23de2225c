"""A host's agent at work: with orders, tenants and machines that fail."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from functools import partial

import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from structlog.testing import capture_logs

from anchor_client.amounts import LAMPORTS_PER_SOL
from anchor_client.connection import Connection
from anchor_client.errors import GpuMarketError
from anchor_client.generated.accounts import Listing
from anchor_client.generated.constants import USD
from anchor_client.generated.events import RentalAccepted
from anchor_client.generated.types import CloseReason, Silence
from anchor_client.market import JobState, Market, RentalWanted
from anchor_client.market.rental.note import MAX_BYTES
from anchor_client.orders import Workload
from anchor_client.solana.tokens import NATIVE_MINT
from host_agent import tenancy
from host_agent.errors import MachineFault, OrderRefused, OrderUnwanted
from host_agent.metrics import IDLE, RENTED
from host_agent.pace import HostPace
from local_market.terms import PICO_USD
from tests.e2e.seeded import SeededCluster
from tests.e2e.staging import GPU, HOUR, PACE, REGION, Machine, Stage, staged
from tests.host_agent.metrics import metric_of
from tests.indexer.service import until
from tests.processes.patience import PATIENCE


@pytest.fixture
async def stage(seeded_cluster: SeededCluster) -> AsyncIterator[Stage]:
    async with staged(seeded_cluster) as ready:
        yield ready


async def test_agent__from_order_to_stop__machine_is_provisioned_wiped_and_idle_again(stage: Stage) -> None:
    job, machine = await stage.rent()
    await stage.reached(job, JobState.RUNNING)
    assert machine.tenant == job.id
    states = Counter(stage.agent.states().values())
    assert states == {RENTED: 1, IDLE: len(stage.machines) - 1}
    timeout = (await stage.market.reads.market()).provision_timeout
    assert machine.given is not None and 0 < machine.given <= timeout - tenancy.START_SECONDS
    await stage.market.rental.stop(job.id)

    async def idle() -> bool:
        return machine.calls[-1] == "idle"

    await until(idle)
    assert machine.calls == ["recover", "idle", "provision", "vacate", "idle"]


@pytest.mark.exhaustive
async def test_agent__key_that_only_operates__serves_while_the_owner_is_paid(seeded_cluster: SeededCluster) -> None:
    """Invariant HST-8."""
    operator, keys = Keypair(), seeded_cluster.keys
    owner = keys.hosts[REGION].wallet
    seeded_cluster.local.cluster.airdrop(operator.pubkey(), 10**9)
    async with Market.connect(seeded_cluster.local.http_url, owner, ws_url=seeded_cluster.local.ws_url) as market:
        await market.host.set_operator(operator.pubkey())
        async with staged(seeded_cluster, operator=operator) as stage:
            job, machine = await stage.rent()
            await stage.reached(job, JobState.RUNNING)
            machine.loses_tenants = True
            ended = await stage.reached(job, JobState.FAILED)
            assert ended.close_reason is CloseReason.HOST_FAULT
            listing = await market.reads.listing(job.listing)
            assert (listing.authority, listing.operator) == (owner.pubkey(), operator.pubkey())
            assert await market.reads.balance(owner.pubkey(), job.mint) >= ended.host_paid
            assert await market.reads.balance(operator.pubkey(), job.mint) == 0
        await market.host.set_operator(owner.pubkey())


async def test_agent__another_key_operates_the_listing__the_ended_tenant_is_wiped(
    seeded_cluster: SeededCluster,
) -> None:
    operator, owner = Keypair(), seeded_cluster.keys.hosts[REGION].wallet
    seeded_cluster.local.cluster.airdrop(operator.pubkey(), 10**9)
    async with Market.connect(seeded_cluster.local.http_url, owner, ws_url=seeded_cluster.local.ws_url) as market:
        await market.host.set_operator(operator.pubkey())
        async with staged(seeded_cluster, operator=operator) as stage:
            job, machine = await stage.rent()
            await stage.reached(job, JobState.RUNNING)
            await market.host.set_operator(owner.pubkey())

            async def is_left() -> bool:
                return job.listing in stage.agent._left

            await until(is_left)
            looks = machine.looks

            async def is_still_served() -> bool:
                stage.agent._called.set()
                return machine.looks > looks

            await until(is_still_served)
            await stage.market.rental.stop(job.id)
            await until(partial(wiped, machine))
            assert machine.tenant is None


async def wiped(machine: Machine) -> bool:
    """True once its tenant has been wiped."""
    return machine.calls[-1] == "vacate"


async def test_agent__listing_closed_before_the_wipe_succeeds__the_tenant_is_wiped_all_the_same(stage: Stage) -> None:
    job, machine = await stage.rent()
    await stage.reached(job, JobState.RUNNING)
    machine.cannot_be_wiped = True
    await stage.market.rental.stop(job.id)
    owner = stage.cluster.keys.hosts[REGION].wallet
    local = stage.cluster.local
    async with Market.connect(local.http_url, owner, ws_url=local.ws_url) as market:
        await market.host.close_listing(job.listing)

    async def is_closed() -> bool:
        stage.agent._called.set()
        return job.listing in stage.agent._left

    await until(is_closed)
    assert machine.tenant is not None
    machine.cannot_be_wiped = False
    await until(partial(wiped, machine))
    assert machine.tenant is None


async def test_agent__command_ends_where_the_renter_agreed__rental_finishes_with_its_code(stage: Stage) -> None:
    await until(stage._served)
    wanted = RentalWanted(gpu=GPU, region=REGION, duration=HOUR, pay="USDC", until_exit=True)
    job = await stage.market.rental.open(wanted, Workload())
    await stage.reached(job, JobState.RUNNING)
    stage.machines[job.listing].ended_with = 3
    stage.cluster.local.cluster.warp(61)
    stage.agent.overdue.set()
    ended = await stage.reached(job, JobState.COMPLETED)
    assert (ended.close_reason, ended.exit_code) == (CloseReason.FINISHED, 3)
    assert 0 < ended.held < ended.host_paid and ended.refunded > 0


@pytest.mark.exhaustive
async def test_agent__rental_ends__tenant_may_save_their_work_before_it_is_wiped(stage: Stage) -> None:
    job, machine = await stage.rent()
    await stage.reached(job, JobState.RUNNING)
    assert machine.saved == []
    await stage.market.rental.stop(job.id)

    async def wiped() -> bool:
        return machine.tenant is None

    await until(wiped)
    assert machine.saved == [(job.id, tenancy.END_SECONDS)]


async def test_agent__another_order_waits_for_the_machine__tenant_saves_their_work_once(stage: Stage) -> None:
    await until(stage._served)
    wanted = RentalWanted(gpu=GPU, region=REGION, duration=HOUR, pay="USDC", kind="spot")
    held = await stage.market.rental.open(wanted, Workload())
    await stage.reached(held, JobState.RUNNING)
    machine = stage.machines[held.listing]
    other = Keypair()
    stage.cluster.local.cluster.airdrop(other.pubkey(), 1_000 * LAMPORTS_PER_SOL)
    theirs = RentalWanted(listing=held.listing, duration=HOUR, pay="SOL")
    waiting = await stage.market.signing_as(other).rental.open(theirs, Workload())

    async def warned() -> bool:
        return bool(machine.saved)

    await until(warned)
    [(saved, seconds)] = machine.saved
    assert saved == held.id and 0 < seconds <= 90
    await stage.market.rental.stop(held.id)
    await stage.reached(waiting, JobState.RUNNING)
    assert machine.tenant == waiting.id and machine.saved == [(held.id, seconds)]
    await stage.market.signing_as(other).rental.stop(waiting.id)


@pytest.mark.exhaustive
async def test_agent__api_unreachable__rental_waits_until_it_answers(stage: Stage) -> None:
    stage.post.up = False
    job, machine = await stage.rent()

    async def asked_twice() -> bool:
        return stage.post.refused > 1

    await until(asked_twice)
    assert (await stage.market.jobs.get(job.id)).status is JobState.QUEUED
    stage.post.up = True
    await stage.reached(job, JobState.RUNNING)
    [accepted] = [
        item.event
        for item in await stage.market.session.history.events(job.id)
        if isinstance(item.event, RentalAccepted)
    ]
    key = stage.market.session.renter_keys.find(job.order_hash)
    assert key is not None
    assert Connection.opened(accepted.connection, key).password == Workload().image
    assert machine.tenant == job.id


async def test_agent__order_never_comes__refused_with_a_full_refund(seeded_cluster: SeededCluster) -> None:
    async with staged(seeded_cluster, patience=0.5) as stage:
        stage.post.loses_orders = True
        job, machine = await stage.rent()
        ended = await stage.reached(job, JobState.FAILED)
        assert (ended.close_reason, ended.refunded) == (CloseReason.ORDER_UNDELIVERED, ended.deposit)
        assert "provision" not in machine.calls


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("refusal", "reason"),
    [
        (OrderRefused("There is no such image"), CloseReason.ORDER_UNRUNNABLE),
        (OrderUnwanted("This host refuses orders of this wallet"), CloseReason.ORDER_REFUSED),
    ],
)
async def test_agent__order_cannot_be_run_or_is_unwanted__refused_with_a_full_refund_and_wiped(
    stage: Stage, refusal: GpuMarketError, reason: CloseReason
) -> None:
    await until(stage._served)
    for machine in stage.machines.values():
        machine.refuses = refusal
    job, machine = await stage.rent()
    ended = await stage.reached(job, JobState.FAILED)
    assert (ended.close_reason, ended.refunded) == (reason, ended.deposit)
    assert await stage.market.rental.note(ended) == refusal.message

    async def wiped() -> bool:
        return machine.tenant is None

    await until(wiped)


async def test_agent__image_demands_a_newer_driver__order_is_refused_before_it_is_accepted(stage: Stage) -> None:
    await until(stage._served)
    for machine in stage.machines.values():
        machine.unfit = OrderRefused("NVIDIA_REQUIRE_CUDA is 'cuda>=99.0'")
    job, machine = await stage.rent()
    ended = await stage.reached(job, JobState.FAILED)
    assert (ended.close_reason, ended.refunded) == (CloseReason.ORDER_UNRUNNABLE, ended.deposit)
    assert "provision" not in machine.calls and await stage.market.rental.connection(job.id) is None


async def test_agent__machine_fails_at_an_order__is_its_hosts_fault(stage: Stage) -> None:
    await until(stage._served)
    for machine in stage.machines.values():
        machine.refuses = MachineFault("The engine has died: " + "x" * 200 + ": no space left at /var/lib/docker")
    job, _ = await stage.rent()
    ended = await stage.reached(job, JobState.FAILED)
    assert (ended.close_reason, ended.refunded) == (CloseReason.HOST_FAULT, ended.deposit)
    note = await stage.market.rental.note(ended)
    assert note is not None and len(note) == MAX_BYTES
    assert note.startswith("The engine has died: xxx") and note.endswith("xxx: no space left at ***")
    async with Market.connect(stage.cluster.local.http_url, ws_url=stage.cluster.local.ws_url) as anybody:
        assert await anybody.rental.note(ended) is None


async def test_agent__running_tenant_is_lost__rental_ends_as_its_hosts_fault(stage: Stage) -> None:
    job, machine = await stage.rent()
    await stage.reached(job, JobState.RUNNING)
    machine.loses_tenants = True
    ended = await stage.reached(job, JobState.FAILED)
    assert ended.close_reason is CloseReason.HOST_FAULT


@pytest.mark.exhaustive
async def test_agent__withdrawn_while_it_boots__work_is_broken_off(stage: Stage) -> None:
    await until(stage._served)
    for machine in stage.machines.values():
        machine.boots.clear()
    job, machine = await stage.rent()

    async def booting() -> bool:
        return machine.tenant == job.id

    await until(booting)
    await stage.market.rental.stop(job.id)

    async def free() -> bool:
        return machine.tenant is None and machine.calls[-1] == "idle"

    await until(free)
    assert machine.calls[-3:] == ["provision", "vacate", "idle"]


async def test_agent__paid_time_is_over__machine_is_taken_back_before_anyone_finalises(stage: Stage) -> None:
    job, machine = await stage.rent()
    await stage.reached(job, JobState.RUNNING)
    stage.cluster.local.cluster.warp(HOUR + 10)

    async def taken_back() -> bool:
        return machine.calls[-1] == "idle"

    await until(taken_back)
    assert machine.tenant is None
    assert (await stage.market.jobs.get(job.id)).status is JobState.RUNNING


async def test_agent__machine_cannot_be_wiped__listing_goes_silent_and_takes_no_one(stage: Stage) -> None:
    job, machine = await stage.rent()
    await stage.reached(job, JobState.RUNNING)
    machine.cannot_be_wiped = True
    await stage.market.rental.stop(job.id)
    other = next(address for address in stage.machines if address != job.listing)

    async def silent() -> bool:
        stage.cluster.local.cluster.warp(30)
        found = await stage.market.reads.program.read_many(Listing, [job.listing, other])
        failed, sound = (listing.last_heartbeat_at for listing in found if listing is not None)
        return sound - failed >= 60

    await until(silent)
    assert machine.tenant == job.id
    machine.cannot_be_wiped = False

    async def back() -> bool:
        listing = await stage.market.reads.listing(job.listing)
        return await stage.market.reads.now() - listing.last_heartbeat_at < 30 and machine.calls[-1] == "idle"

    await until(back)


@pytest.mark.exhaustive
async def test_agent__rental_that_no_node_remembers__is_wiped_in_the_end(
    seeded_cluster: SeededCluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tenancy, "FORGOTTEN_SECONDS", 1.0)
    forgotten = Pubkey.new_unique()
    async with staged(seeded_cluster, left=forgotten) as stage:
        await until(stage._served)
        assert all(machine.calls[:3] == ["recover", "vacate", "idle"] for machine in stage.machines.values())


@pytest.mark.exhaustive
async def test_agent__rental_started__first_settlement__follows_at_once_and_counts_as_a_heartbeat(
    seeded_cluster: SeededCluster,
) -> None:
    async with staged(seeded_cluster, pace=HostPace()) as stage:
        with capture_logs() as logs:
            job, _ = await stage.rent()
            await stage.reached(job, JobState.RUNNING)

            async def told() -> bool:
                return any(each["event"] == "rental_credited" for each in logs)

            await until(told)
        [credited] = [each for each in logs if each["event"] == "rental_credited"]
        rental, listing = await stage.market.reads.rental(job.id), await stage.market.reads.listing(job.listing)
        assert rental.settled <= PATIENCE
        assert credited["rental"] == str(job.id)
        assert credited["seconds"] == rental.started_at + rental.settled - rental.created_at
        assert credited["median_seconds"] == credited["seconds"]
        assert listing.last_heartbeat_at == rental.started_at + rental.settled
        assert metric_of(stage.metrics, "earned_usd_total") == pytest.approx(
            rental.rate_usd * rental.settled / (3_600 * USD)
        )
        await stage.market.rental.stop(job.id)


@pytest.mark.exhaustive
async def test_agent__machine_marked__host_that_is_there__answers_in_time(seeded_cluster: SeededCluster) -> None:
    async with staged(seeded_cluster, pace=HostPace()) as stage:
        await until(stage._served)
        listing = next(iter(stage.machines))
        allowed = (await stage.market.reads.market()).offline_after

        async def heard_from() -> bool:
            return (await stage.market.reads.listing(listing)).last_heartbeat_at > 0

        await until(heard_from)
        seeded_cluster.local.cluster.warp(allowed + 1)
        await stage.market.host.mark_silent(listing)

        async def answered() -> bool:
            return (await stage.market.reads.listing(listing)).silence == Silence.HEARD

        await until(answered)
        heard = await stage.market.reads.listing(listing)
        assert heard.last_heartbeat_at < heard.marked_at + heard.answer_window
        assert heard.up_seconds == heard.tracked_seconds > allowed


@pytest.mark.exhaustive
async def test_agent__market_prices_sol__paces_by_its_last_price(seeded_cluster: SeededCluster) -> None:
    def is_priced(usd: int) -> Callable[[], Awaitable[bool]]:
        async def priced() -> bool:
            return stage.agent.pace == replace(PACE, sol_usd=usd * USD)

        return priced

    async with staged(seeded_cluster) as stage:
        reads, oracle = stage.market.reads, stage.market.signing_as(seeded_cluster.keys.oracle)
        await until(is_priced(150))
        seeded_cluster.local.cluster.warp(3_601)
        assert await reads.sol_usd() is None
        assert await PACE.at_market_price(reads) == PACE
        assert await stage.agent.pace.at_market_price(reads) == stage.agent.pace
        await oracle.post_price(NATIVE_MINT, 151 * PICO_USD)
        await until(is_priced(151))
