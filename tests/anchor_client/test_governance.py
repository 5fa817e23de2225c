"""Governance through the client: from the hand-over to what was voted for."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncIterator

import pytest
from solders.account import Account
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from spl.token.instructions import mint_to
from spl.token.models import MintToParams

from anchor_client import errors
from anchor_client.generated import errors as refusals
from anchor_client.generated.accounts import GpuModel, StakePool
from anchor_client.generated.pdas import find_governance, find_gpu_model, find_pool
from anchor_client.generated.program import PROGRAM_ID, TOKEN_PROGRAM
from anchor_client.generated.types import (
    ActionAddRewardMint,
    ActionApproveHost,
    ActionSetGpuModel,
    ActionSetParameter,
    ActionTreasuryTransfer,
    ActionUpgradeProgram,
    ActionWithdrawUnreserved,
    GpuTerms,
    MarketParameter,
    PauseArea,
)
from anchor_client.market import Market
from anchor_client.market.governance.words import action_fields, describe
from anchor_client.rules.proposal import ProposalStage
from anchor_client.solana.loader import Buffer, program_data
from anchor_client.solana.node import NodeClient
from anchor_client.solana.tokens import associated_token, create_associated_token
from anchor_client.solana.wallet import Wallet
from local_market.keys import MarketKeyring
from localnet.server import LocalCluster
from tests.markets.builds import put_buffer, second_build
from tests.markets.parties import SOL, World
from tests.markets.stake import cataloged, pooled, staked

STAKE = 10**12
VOTING_PERIOD = 259_200
TIMELOCK = 86_400
CHEAPER = ActionSetParameter(MarketParameter.TIP_LAMPORTS, 7)


@pytest.fixture
async def world() -> AsyncIterator[World]:
    """A market of the test's own: the hand-over is final."""
    async with LocalCluster() as local:
        client = NodeClient(local.http_url)
        yield await World.create(local, client, MarketKeyring.generate())
        await client.close()


@pytest.fixture
async def authority(world: World) -> AsyncIterator[Market]:
    """The market's authority, where one wallet has staked."""
    for address, data in (pooled(STAKE), cataloged()):
        world.local.cluster.set_account(*_stored(address, data))
    async with Market.connect(world.local.http_url, world.keys.authority, ws_url=world.local.ws_url) as market:
        yield market


@pytest.fixture
def staker(world: World, authority: Market) -> Market:
    """The wallet with all the stake."""
    wallet = world.wallet(20 * SOL)
    world.local.cluster.set_account(*_stored(*staked(wallet.pubkey(), STAKE)))
    return authority.signing_as(wallet)


def _stored(address: Pubkey, data: bytes) -> tuple[Pubkey, Account]:
    return address, Account(SOL, data, PROGRAM_ID)


async def carried(world: World, staker: Market, id: int) -> None:
    """Votes a proposal through and executes it."""
    await staker.governance.vote(id, support=True)
    world.warp(VOTING_PERIOD)
    await staker.governance.queue(id)
    await until_due(world, staker, id)
    await staker.governance.execute(id)


async def until_due(world: World, staker: Market, id: int) -> None:
    """A queued proposal's timelock passes."""
    execute_at = (await staker.governance.get(id)).execute_at
    assert execute_at is not None
    world.warp(execute_at - world.now())


async def test_proposals__from_hand_over_to_execution__every_stage(
    world: World, authority: Market, staker: Market
) -> None:
    await authority.governance.hand_over()
    with pytest.raises(refusals.Unauthorized):
        await authority.set_paused(PauseArea.ORDERS, paused=True)
    proposals = staker.governance
    id = await proposals.propose(CHEAPER, "Cheaper cranks")
    made = await proposals.get(id)
    assert (made.stage, made.action, made.execute_at) == (ProposalStage.VOTING, action_fields(CHEAPER), None)
    assert made.votes_for + made.votes_against == 0
    assert made.quorum == STAKE // 10 and not made.passes
    assert await proposals.title(id) == "Cheaper cranks"
    await proposals.vote(id, support=True)
    assert (await proposals.get(id)).passes
    assert [(vote.voter, vote.weight) for vote in await proposals.votes(id)] == [(staker.address, STAKE)]
    with pytest.raises(refusals.VoteOpen):
        await proposals.queue(id)
    world.warp(VOTING_PERIOD)
    assert (await proposals.get(id)).stage == ProposalStage.ENDED
    await proposals.queue(id)
    assert (await proposals.get(id)).stage == ProposalStage.QUEUED
    with pytest.raises(refusals.TimelockRunning):
        await proposals.execute(id)
    world.warp(TIMELOCK)
    assert (await proposals.get(id)).stage == ProposalStage.DUE
    await proposals.execute(id)
    assert (await proposals.get(id)).stage == ProposalStage.EXECUTED
    await proposals.close_vote(id)
    assert await proposals.votes(id) == ()
    market = await staker.reads.market()
    assert (market.tip_lamports, market.authority, market.treasury) == (7, proposals.authority, proposals.authority)


async def test_proposals__treasury_transfer__makes_the_recipients_token_account(
    world: World, authority: Market, staker: Market
) -> None:
    mint, recipient = world.tokens.market_token.mint, Keypair().pubkey()
    await authority.governance.hand_over()
    treasury = authority.governance.authority
    issue = MintToParams(
        program_id=TOKEN_PROGRAM,
        mint=mint,
        dest=associated_token(treasury, mint),
        mint_authority=authority.address,
        amount=100,
    )
    await authority.send(create_associated_token(authority.address, treasury, mint), mint_to(issue))
    id = await staker.governance.propose(ActionTreasuryTransfer(mint, recipient, 60), "For the audit")
    await carried(world, staker, id)
    assert world.tokens_of(recipient, world.tokens.market_token) == 60
    assert world.tokens_of(treasury, world.tokens.market_token) == 40


async def test_proposals__stakers_terms__are_carried_out(world: World, authority: Market, staker: Market) -> None:
    """A reward mint and unreserved tokens, whose token accounts nobody has made yet, and what is said of a model."""
    await authority.governance.hand_over()
    mint, proposals = world.tokens.usdc.mint, staker.governance
    token = world.tokens.market_token
    for action in (
        ActionAddRewardMint(mint),
        ActionSetGpuModel(6, GpuTerms(40, 190_000)),
        ActionWithdrawUnreserved(token.mint, 0, 77),
    ):
        await carried(world, staker, await proposals.propose(action, "For stakers"))
    pool = await staker.reads.program.read(StakePool, find_pool()[0])
    model = await staker.reads.program.read(GpuModel, find_gpu_model(6)[0])
    assert pool is not None and model is not None
    assert [stream.mint for stream in pool.rewards[: pool.streams]] == [mint]
    assert pool.rewards[0].token_account == associated_token(find_pool()[0], mint)
    assert (model.points, model.reference_usd) == (40, 190_000)
    assert world.tokens_of(find_governance()[0], token) == 77


async def test_proposals__upgrade__puts_the_buffers_code_in_place(
    world: World, authority: Market, staker: Market
) -> None:
    await authority.governance.hand_over()
    code, buffer = second_build(), Keypair().pubkey()
    found = Buffer.read(put_buffer(world.local.cluster, buffer, code, staker.governance.authority))
    assert found is not None and found.sha256 == hashlib.sha256(code).digest()
    await carried(world, staker, await staker.governance.propose(ActionUpgradeProgram(buffer, found.sha256), "v2"))
    deployed = await staker.reads.program.account(program_data(PROGRAM_ID))
    assert deployed is not None and code in deployed.data
    world.warp(1)
    with pytest.raises(refusals.ParameterOutOfBounds):
        await staker.governance.propose(ActionSetParameter(MarketParameter.TIP_LAMPORTS, 100_000_000), "too much now")


async def test_proposals__cancelled_by_the_proposer__makes_room_for_the_next(authority: Market, staker: Market) -> None:
    first = await staker.governance.propose(CHEAPER, "")
    with pytest.raises(refusals.ProposalLive):
        await staker.governance.propose(CHEAPER, "")
    with pytest.raises(refusals.Unauthorized):
        await authority.governance.cancel(first)
    await staker.governance.cancel(first)
    assert [(one.id, one.stage) for one in await authority.governance.list()] == [(first, ProposalStage.CANCELLED)]
    second = await staker.governance.propose(CHEAPER, "")
    assert [(one.id, one.stage) for one in await authority.governance.list()] == [(second, ProposalStage.VOTING)]
    with pytest.raises(refusals.ProposalNotOver):
        await authority.governance.close(second)
    await staker.governance.cancel(second)
    await authority.governance.close(second)
    assert await authority.governance.list() == []


async def test_votes__of_a_closed_proposal__are_found_by_its_number(authority: Market, staker: Market) -> None:
    proposals = staker.governance
    id = await proposals.propose(CHEAPER, "")
    await proposals.vote(id, support=True)
    await proposals.cancel(id)
    await proposals.close(id)
    assert [vote.voter for vote in await proposals.votes(id)] == [staker.address]
    await authority.governance.close_vote(id, staker.address)
    assert await proposals.votes(id) == ()
    with pytest.raises(errors.UnknownVote, match=str(staker.address)):
        await authority.governance.close_vote(id, staker.address)


async def test_propose__after_another_stakers__gives_the_number_it_landed_with(
    world: World, authority: Market, staker: Market
) -> None:
    rival = world.wallet(SOL)
    world.local.cluster.set_account(*_stored(*staked(rival.pubkey(), STAKE)))
    address = await staker.governance.next_address(staker.address)
    assert await authority.signing_as(rival).governance.propose(CHEAPER, "first") == 0
    assert await staker.governance.propose(CHEAPER, "second") == 1
    assert await staker.governance.address_of(1) == address
    assert (await staker.governance.get(1)).address == address


async def test_proposals__payment_that_the_guardian_vetoes__is_never_made(
    world: World, authority: Market, staker: Market
) -> None:
    id = await staker.governance.propose(ActionTreasuryTransfer(world.tokens.usdc.mint, staker.address, 1), "mine")
    assert (await staker.governance.get(id)).critical
    await staker.governance.vote(id, support=True)
    world.warp(VOTING_PERIOD)
    await staker.governance.queue(id)
    world.local.cluster.airdrop(world.keys.guardian.pubkey(), SOL)
    with pytest.raises(refusals.Unauthorized):
        await authority.governance.veto(id)
    await authority.signing_as(Wallet(world.keys.guardian)).governance.veto(id)
    assert (await staker.governance.get(id)).stage is ProposalStage.VETOED


async def test_proposals__unknown_number__is_named(authority: Market) -> None:
    with pytest.raises(errors.UnknownProposal, match="99"):
        await authority.governance.get(99)
    for act in (
        authority.governance.vote(99, support=True),
        authority.governance.cancel(99),
        authority.governance.queue(99),
    ):
        with pytest.raises(errors.UnknownProposal, match="99"):
            await act


@pytest.mark.parametrize(
    ("parameter", "value", "said"),
    [
        (MarketParameter.ORDER_MIN_USD, 2_500_000, "set order_min_usd to $2.50 (2500000)"),
        (MarketParameter.TIP_LAMPORTS, 20_000, "set tip_lamports to 0.00002 SOL (20000)"),
        (MarketParameter.TIMELOCK, 90_000, "set timelock to 1 d 1 h (90000)"),
        (MarketParameter.SPOT_FEE_BPS, 250, "set spot_fee_bps to 2.5 % (250)"),
        (MarketParameter.QUOTA_BASE, 20, "set quota_base to 20 rentals"),
    ],
)
def test_action__sets_a_parameter__says_its_value_in_its_unit(
    parameter: MarketParameter, value: int, said: str
) -> None:
    assert describe(action_fields(ActionSetParameter(parameter, value))) == said


def test_action__in_words_and_fields__says_what_it_does() -> None:
    host = Keypair().pubkey()
    action = ActionApproveHost(host, approved=True, subsidy_budget=5)
    assert describe(action_fields(action)) == f"approve host {host} with a subsidy of up to 5 base units a day"
    withdrawal = ActionWithdrawUnreserved(host, 3, 9)
    assert describe(action_fields(withdrawal)) == f"withdraw at most 9 unreserved base units of {host} from vault 3"
    assert action_fields(action) == {
        "kind": "approve_host",
        "host": str(host),
        "approved": True,
        "subsidy_budget": 5,
    }
    assert action_fields(ActionUpgradeProgram(host, bytes(32)))["sha256"] == "00" * 32
