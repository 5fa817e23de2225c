"""Counting votes and executing what was voted for: what is due, and a keeper that does it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import replace

import pytest
from solana.rpc.commitment import Confirmed
from solders.account import Account
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from spl.token.instructions import mint_to
from spl.token.models import MintToParams

from anchor_client.generated import instructions as ix
from anchor_client.generated.accounts import Host, Market, PaymentMint, Proposal
from anchor_client.generated.constants import EXECUTION_WINDOW
from anchor_client.generated.pdas import find_governance, find_host, find_market, find_payment_mint, find_proposal
from anchor_client.generated.program import PROGRAM_ID, TOKEN_PROGRAM
from anchor_client.generated.types import (
    Action,
    ActionAddPaymentMint,
    ActionApproveHost,
    ActionSetParameter,
    ActionTreasuryTransfer,
    ActionUpdatePaymentMint,
    MarketParameter,
    OracleKind,
    PaymentMintTerms,
    ProposalState,
)
from anchor_client.solana.pubsub import subscriber
from anchor_client.solana.tokens import associated_token, create_associated_token
from keeper.loop import run_once, run_service
from keeper.metrics import KeeperMetrics
from keeper.names import CrankName
from keeper.tasks.governance import EXECUTE_PROPOSAL, QUEUE_PROPOSAL, ProposalSubject, proposal_subjects
from keeper.tasks.task import Task, find_due
from tests.anchor_client.price_oracle import blank
from tests.markets.parties import SOL, SettingsOf, World
from tests.markets.stake import cataloged, pooled, staked
from tests.processes.patience import PATIENCE

STAKE = 10**15
NOW = 2_000_000
VOTING_PERIOD = 259_200
TIMELOCK = 8 * 86_400
"""Of the treasury's payments, which is longer than that of the others."""
TERMS = PaymentMintTerms(
    oracle_kind=OracleKind.PINNED,
    enabled=True,
    shards=1,
    oracle=Pubkey.default(),
    pinned_price=10**12,
    max_age=0,
    subsidy_bps=0,
    burn_bps=0,
    extra_fee_bps=0,
    max_confidence_bps=0,
)


def proposal(state: ProposalState, **times: int) -> Proposal:
    return blank(Proposal, state=int(state), **times)


def due(task: Task[ProposalSubject], proposals: Mapping[Pubkey, Proposal]) -> list[Pubkey]:
    """The proposals that a task is due for at NOW."""
    return [each.address for each in find_due([task], proposal_subjects(proposals, NOW), NOW)]


def test_find_due__proposals_around_their_end__are_counted_from_it_on() -> None:
    one, two, three, four = (Pubkey.new_unique() for _ in range(4))
    proposals = {
        one: proposal(ProposalState.VOTING, ends_at=NOW),
        two: proposal(ProposalState.VOTING, ends_at=NOW + 1),
        three: proposal(ProposalState.VOTING, ends_at=NOW - 1),
        four: proposal(ProposalState.CANCELLED, ends_at=NOW - 1),
    }
    assert due(QUEUE_PROPOSAL, proposals) == [three, one]


def test_find_due__proposals_around_timelock_and_expiry__are_executed_in_between() -> None:
    one, two, three, four, five = (Pubkey.new_unique() for _ in range(5))
    proposals = {
        one: proposal(ProposalState.QUEUED, execute_at=NOW),
        two: proposal(ProposalState.QUEUED, execute_at=NOW + 1),
        three: proposal(ProposalState.QUEUED, execute_at=NOW - EXECUTION_WINDOW + 1),
        four: proposal(ProposalState.QUEUED, execute_at=NOW - EXECUTION_WINDOW),
        five: proposal(ProposalState.EXECUTED, execute_at=NOW),
    }
    assert due(EXECUTE_PROPOSAL, proposals) == [three, one]


@pytest.fixture
def staker(world: World) -> Keypair:
    """Holder of all stake of a market that has been handed over."""
    keypair = world.wallet(10 * SOL)
    for address, data in (staked(keypair.pubkey(), STAKE), pooled(STAKE), cataloged()):
        world.local.cluster.set_account(address, Account(SOL, data, PROGRAM_ID))
    authority = world.keys.authority
    world.run(authority, [ix.hand_over(authority=authority.pubkey())])
    return keypair


async def market_of(world: World) -> Market:
    market = await world.reader.read(Market, find_market()[0])
    assert market is not None
    return market


async def voted(world: World, staker: Keypair, *actions: Action) -> list[Pubkey]:
    """Proposals of a proposer each, that nearly all stake has voted for, their votes open."""
    addresses = []
    for action in actions:
        proposer = world.wallet(SOL)
        address = find_proposal(proposer.pubkey(), 0)[0]
        stake, data = staked(proposer.pubkey(), STAKE // 100)
        world.local.cluster.set_account(stake, Account(SOL, data, PROGRAM_ID))
        world.run(proposer, [ix.create_proposal(nonce=0, action=action, title="", proposer=proposer.pubkey())])
        world.run(staker, [ix.vote(support=True, voter=staker.pubkey(), proposal=address)])
        addresses.append(address)
    return addresses


async def states(world: World, addresses: list[Pubkey]) -> list[ProposalState]:
    found = await world.reader.read_many(Proposal, addresses)
    return [ProposalState(each.state) for each in found if each is not None]


async def test_run_once__every_kind_of_action__is_counted_and_executed(
    world: World, settings: SettingsOf, staker: Keypair
) -> None:
    token, wallet, newcomer, new_mint = world.tokens.usdc, Pubkey.new_unique(), world.wallet(), Pubkey.new_unique()
    world.run(newcomer, [ix.register_host(seal_key=bytes([7] * 32), authority=newcomer.pubkey())])
    give_treasury(world, 1_000)
    mint = world.local.cluster.account(token.mint)
    assert mint is not None
    world.local.cluster.set_account(new_mint, mint)
    host, payment_mint = find_host(newcomer.pubkey())[0], find_payment_mint(token.mint)[0]
    paid = await world.reader.read(PaymentMint, payment_mint)
    assert paid is not None
    proposals = await voted(
        world,
        staker,
        ActionSetParameter(MarketParameter.TIP_LAMPORTS, 7),
        ActionApproveHost(host, approved=True, subsidy_budget=5),
        ActionTreasuryTransfer(token.mint, wallet, 999),
        ActionAddPaymentMint(new_mint, TERMS),
        ActionUpdatePaymentMint(payment_mint, replace(TERMS, enabled=False, shards=paid.shards)),
    )
    assert (await run_once(settings(cranks={"governance"}))).exit_code == 0
    assert set(await states(world, proposals)) == {ProposalState.VOTING}
    world.warp(VOTING_PERIOD)
    await run_once(settings())
    assert set(await states(world, proposals)) == {ProposalState.VOTING}
    await run_once(settings(cranks={"governance"}))
    assert set(await states(world, proposals)) == {ProposalState.QUEUED}
    world.warp(TIMELOCK)
    await run_once(settings(cranks={"governance"}))
    assert set(await states(world, proposals)) == {ProposalState.EXECUTED}
    approved, changed = await world.reader.read(Host, host), await world.reader.read(PaymentMint, payment_mint)
    assert approved is not None and approved.approved
    assert changed is not None and not changed.enabled
    assert (await market_of(world)).tip_lamports == 7
    assert world.tokens_of(wallet, token) == 999
    assert await world.reader.read(PaymentMint, find_payment_mint(new_mint)[0]) is not None


async def test_run_once__proposal_that_cannot_be_executed__holds_up_no_other(
    world: World, settings: SettingsOf, staker: Keypair
) -> None:
    give_treasury(world, 1)
    impossible = ActionTreasuryTransfer(world.tokens.usdc.mint, staker.pubkey(), 2)
    proposals = await voted(world, staker, impossible, ActionSetParameter(MarketParameter.TIP_LAMPORTS, 7))
    for seconds in (VOTING_PERIOD, TIMELOCK):
        world.warp(seconds)
        summary = await run_once(settings(cranks={"governance"}))
    assert summary.exit_code == 1 and set(summary.cranks_failed[CrankName.GOVERNANCE]) == {proposals[0]}
    assert [(done.task, done.address) for done in summary.cranks] == [("execute_proposal", proposals[1])]
    assert await states(world, proposals) == [ProposalState.QUEUED, ProposalState.EXECUTED]


async def test_run_service__proposal__is_carried_through(world: World, settings: SettingsOf, staker: Keypair) -> None:
    [address] = await voted(world, staker, ActionSetParameter(MarketParameter.TIP_LAMPORTS, 7))
    world.warp(VOTING_PERIOD)
    ready, stop, metrics = asyncio.Event(), asyncio.Event(), KeeperMetrics()
    govern = settings(cranks={"governance"}, cranks_seconds=0.2)
    service = asyncio.create_task(run_service(govern, ready=ready, stop=stop, metrics=metrics))
    try:
        await until(world, address, ProposalState.QUEUED)
        world.warp(TIMELOCK)
        await until(world, address, ProposalState.EXECUTED)
    finally:
        stop.set()
        await service
    for task in ("queue_proposal", "execute_proposal"):
        assert metrics.cranks_done.labels("governance", task)._value.get() == 1


async def until(world: World, address: Pubkey, state: ProposalState) -> None:
    """Waits until a proposal is in a state."""
    async with asyncio.timeout(PATIENCE), subscriber(world.local.ws_url) as socket:
        await socket.account_subscribe(pubkey=address, commitment=Confirmed, encoding="base64")
        async for _ in socket:
            if await states(world, [address]) == [state]:
                return


def give_treasury(world: World, amount: int) -> None:
    """Base units of USDC for the governance address."""
    mint, treasury, authority = world.tokens.usdc.mint, find_governance()[0], world.keys.authority
    issue = MintToParams(
        program_id=TOKEN_PROGRAM,
        mint=mint,
        dest=associated_token(treasury, mint),
        mint_authority=authority.pubkey(),
        amount=amount,
    )
    world.run(authority, [create_associated_token(authority.pubkey(), treasury, mint), mint_to(issue)])
