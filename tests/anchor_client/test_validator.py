"""The client against Agave's own validator: what passes on the embedded cluster passes on the real thing."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from xprocess import XProcess

from anchor_client import errors
from anchor_client.generated import errors as refusals
from anchor_client.generated.instructions import register_renter
from anchor_client.market import JobState, RentalWanted
from anchor_client.orders import Workload
from anchor_client.rules.renter_profile import first_nonce
from anchor_client.solana.transactions import ComputeBudget, MessageVersion
from tests.markets.cluster import Cluster
from tests.markets.marketplace import H100, Marketplace, one_host
from tests.processes.validator import running

HOUR = 3_600

pytestmark = [pytest.mark.validator, pytest.mark.xdist_group("validator")]


@pytest.fixture(scope="module")
def validator(xprocess: XProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Marketplace]:
    """The seeded market on a validator."""
    keys, ledger = one_host(), tmp_path_factory.mktemp("ledger")
    with running(xprocess, ledger, upgrade_authority=keys.authority.pubkey()) as node:
        market = Marketplace(Cluster(node.http_url, node.ws_url), keys)
        asyncio.run(market.seed())
        yield market


@pytest.mark.parametrize("pay", ["GPUM", "SOL"])
async def test_rental__on_a_validator__opens_runs_and_stops(validator: Marketplace, pay: str) -> None:
    renter = await validator.renter()
    async with validator.market(renter) as market:
        job = await market.rental.open(
            RentalWanted(gpu=H100, duration=HOUR, pay=pay), Workload(command="python train.py")
        )
        watched = asyncio.create_task(states(validator, renter, job.id))
        await validator.run(job.id)
        extended = await market.rental.extend(job.id, HOUR)
        assert extended.error is None
        ended = await market.rental.stop(job.id)
        told = await market.jobs.with_history(job.id)
        assert (told.cost, told.burned, told.refunded) == (ended.cost, ended.burned, ended.refunded)
        assert told.deposit + told.subsidy == (
            told.host_paid + told.fees + told.burned + told.refunded + told.subsidy_returned
        )
        told = [JobState.QUEUED, JobState.PROVISIONING, JobState.RUNNING, JobState.RUNNING, JobState.COMPLETED]
        assert await watched == told


@pytest.mark.parametrize("version", list(MessageVersion))
async def test_send__on_a_validator__refusals_are_named_before_anything_is_paid(
    validator: Marketplace, version: MessageVersion
) -> None:
    renter = await validator.renter()
    async with validator.market(renter) as market:
        market.session.sender.version = version
        before = await market.reads.program.balance(renter.pubkey())
        with pytest.raises(refusals.InvalidSealKey) as raised:
            await market.host.register(bytes(32))
        assert isinstance(raised.value, errors.ProgramRefusal) and raised.value.logs
        with pytest.raises(refusals.Unauthorized):
            await market.host.approve(validator.host.pubkey())
        assert await market.reads.program.balance(renter.pubkey()) == before
        await market.rental.register()
        with pytest.raises(errors.AccountAddressTaken):
            await market.rental.register()


@pytest.mark.parametrize("version", list(MessageVersion))
async def test_send__on_a_validator_with_a_price__pays_what_the_budget_says(
    validator: Marketplace, version: MessageVersion
) -> None:
    renter = await validator.renter()
    async with validator.market(renter) as market:
        sender, budget = market.session.sender, ComputeBudget(units=50_000, priority_fee=1_000_000)
        registration = register_renter(caller=renter.pubkey(), wallet=renter.pubkey(), first_nonce=first_nonce(0))
        prepared = await sender.prepare([registration], payer=renter, version=version, budget=budget)
        assert (await sender.submit(prepared)).fee == 5_000 + budget.priority_lamports_ceil


async def test_submit__twice_on_a_validator__lands_once(validator: Marketplace) -> None:
    renter = await validator.renter()
    async with validator.market(renter) as market:
        plan = await market.rental.plan.open(renter.pubkey(), RentalWanted(HOUR, "GPUM", bytes(32), gpu=H100))
        prepared = await market.session.sender.prepare(plan.instructions, payer=renter)
        first, second = await asyncio.gather(
            market.session.sender.submit(prepared), market.session.sender.submit(prepared)
        )
        assert first.signature == second.signature
        assert list(await market.reads.rentals(renter=renter.pubkey())) == [plan.rental]
        await market.rental.stop(plan.rental)


async def states(validator: Marketplace, renter: Keypair, job: Pubkey) -> list[JobState]:
    async with validator.market(renter) as market:
        return [status.status async for status in market.jobs.watch(job)]
