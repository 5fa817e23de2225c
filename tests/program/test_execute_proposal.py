"""execute_proposal: does what was voted for, once, by the path of the signed instruction. Invariants GOV-4 to GOV-6."""

from __future__ import annotations

from dataclasses import replace

import pytest
from solders.account import Account
from solders.instruction import AccountMeta
from solders.pubkey import Pubkey

from anchor_client.generated import errors, events, instructions
from anchor_client.generated.accounts.payment_mint import PaymentMint
from anchor_client.generated.accounts.proposal import Proposal
from anchor_client.generated.constants import EXECUTION_WINDOW
from anchor_client.generated.pdas import find_host, find_payment_mint, find_vault
from anchor_client.generated.types.action import (
    Action,
    ActionAddPaymentMint,
    ActionAddRewardMint,
    ActionApproveHost,
    ActionSetGpuModel,
    ActionSetKey,
    ActionSetParameter,
    ActionSetPaused,
    ActionTreasuryTransfer,
    ActionUpdatePaymentMint,
    ActionWithdrawUnreserved,
)
from anchor_client.generated.types.gpu_terms import GpuTerms
from anchor_client.generated.types.market_key import MarketKey
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.generated.types.pause_area import PauseArea
from anchor_client.generated.types.proposal_state import ProposalState
from anchor_client.market.governance.execution import remaining_accounts

from .harness.actors import AUTHORITY, GPUM, HOST, KEEPER, LISTING, MARKET, RIVAL, STRANGER, TENANT, USDC
from .harness.changes import set_parameter, set_paused
from .harness.governance import (
    GOVERNANCE,
    TIMELOCK,
    TIP,
    due,
    enacted,
    execute,
    hand_over,
    proposed,
    queued,
    voted,
    with_stake,
)
from .harness.keys import address
from .harness.outcome import Outcome, expect, expect_refusal
from .harness.staking import POOL, gpu_model_of, pool_of
from .harness.terms import REFERENCE_USD, USDC_TERMS
from .harness.tokens import balance_of, put_mint, put_tokens, token_address
from .harness.world import World

NEW_MINT = address("mint by vote")
TREASURY_TOKENS = 10**9


@pytest.fixture
def governed(world: World) -> World:
    """A market handed over to three stakers, with market tokens in the treasury."""
    put_tokens(world.cluster, GPUM, GOVERNANCE, TREASURY_TOKENS)
    with_stake(world).act(hand_over())
    return world


def carried_out(world: World, action: Action) -> Outcome:
    return world.act(execute(world, due(world, action)))


def test_execute_proposal__parameter__changes_by_the_signed_path(governed: World) -> None:
    proposal = due(governed)
    seq = governed.market().seq
    old = governed.market().tip_lamports
    executed, updated = governed.act(execute(governed, proposal)).events
    assert executed == events.ProposalExecuted(proposal=proposal, by=KEEPER, at=governed.now, seq=6, action=TIP)
    assert updated == events.MarketUpdated(
        market=MARKET, parameter=MarketParameter.TIP_LAMPORTS, old=old, new=7, at=governed.now, seq=seq + 1
    )
    assert governed.market().tip_lamports == 7
    assert governed.read(Proposal, proposal).state == ProposalState.EXECUTED


@pytest.mark.parametrize("key", MarketKey)
def test_execute_proposal__key__is_replaced(governed: World, key: MarketKey) -> None:
    _, event = carried_out(governed, ActionSetKey(key, STRANGER)).events
    assert isinstance(event, events.MarketKeyUpdated) and (event.key, event.new) == (key, STRANGER)
    market = governed.market()
    assert (market.guardian if key == MarketKey.GUARDIAN else market.treasury) == STRANGER


def test_execute_proposal__pause__pauses_and_resumes(governed: World) -> None:
    enacted(governed, ActionSetPaused(PauseArea.HOSTS, paused=True))
    assert governed.market().paused == 2
    enacted(governed, ActionSetPaused(PauseArea.HOSTS, paused=False))
    assert governed.market().paused == 0


def test_execute_proposal__host__is_onboarded_by_the_vote(governed: World) -> None:
    governed.act(instructions.register_host(authority=STRANGER, seal_key=bytes(STRANGER)))
    with expect(errors.HostNotApproved):
        governed.act(governed.create_listing(STRANGER))
    _, event = carried_out(governed, ActionApproveHost(find_host(STRANGER)[0], approved=True, subsidy_budget=5)).events
    assert isinstance(event, events.HostApproved) and (event.by, event.new, event.new_budget) == (GOVERNANCE, True, 5)
    governed.act(governed.create_listing(STRANGER))


def test_execute_proposal__payment_mint__is_added_and_changed(governed: World) -> None:
    put_mint(governed.cluster, NEW_MINT)
    outcome = carried_out(governed, ActionAddPaymentMint(NEW_MINT, USDC_TERMS))
    payment_mint = find_payment_mint(NEW_MINT)[0]
    created = outcome.after[payment_mint]
    assert created is not None and created.lamports == -outcome.lamports_gained(KEEPER)
    assert outcome.lamports_gained(GOVERNANCE) == 0
    enacted(governed, ActionUpdatePaymentMint(payment_mint, replace(USDC_TERMS, enabled=False)))
    assert governed.read(PaymentMint, payment_mint).enabled == 0


@pytest.mark.parametrize("sent", [890_880, 10**9])
def test_execute_proposal__payment_mint_with_lamports_at_its_address__costs_the_rest_of_its_rent(
    governed: World, sent: int
) -> None:
    put_mint(governed.cluster, NEW_MINT)
    payment_mint = find_payment_mint(NEW_MINT)[0]
    governed.cluster.set_account(payment_mint, Account(sent, b"", Pubkey.default()))
    outcome = carried_out(governed, ActionAddPaymentMint(NEW_MINT, USDC_TERMS))
    created = outcome.after[payment_mint]
    assert created is not None and created.lamports - sent == -outcome.lamports_gained(KEEPER)
    assert outcome.lamports_gained(GOVERNANCE) == 0


def test_execute_proposal__reward_mint__gives_the_pool_a_stream(governed: World) -> None:
    put_mint(governed.cluster, NEW_MINT)
    stream_token = put_tokens(governed.cluster, NEW_MINT, POOL, 0)
    number = pool_of(governed).streams
    _, *passed, event = carried_out(governed, ActionAddRewardMint(NEW_MINT)).events
    assert [type(each) for each in passed] == [events.EpochAdvanced]
    assert isinstance(event, events.RewardMintAdded)
    assert (event.stream, event.mint, event.token_account) == (number, NEW_MINT, stream_token)
    assert (pool_of(governed).streams, pool_of(governed).rewards[number].mint) == (number + 1, NEW_MINT)
    with expect(errors.RewardMintExists):
        enacted(governed, ActionAddRewardMint(NEW_MINT))


def test_execute_proposal__reward_mint_without_its_token_account__may_be_tried_again(governed: World) -> None:
    put_mint(governed.cluster, NEW_MINT)
    proposal = due(governed, ActionAddRewardMint(NEW_MINT))
    with expect(errors.InvalidTokenAccount):
        governed.act(execute(governed, proposal))
    put_tokens(governed.cluster, NEW_MINT, POOL, 0)
    governed.act(execute(governed, proposal))


@pytest.mark.parametrize("number", [1, 2])
def test_execute_proposal__gpu_model__is_set_known_or_new(governed: World, number: int) -> None:
    """The caller lends the rent of a model that is new, and of no other."""
    old = GpuTerms(100, REFERENCE_USD) if number == 1 else GpuTerms(0, 0)
    terms = GpuTerms(points=77, reference_usd=1_840_000)
    outcome = carried_out(governed, ActionSetGpuModel(number, terms))
    _, event = outcome.events
    assert isinstance(event, events.GpuModelSet)
    assert (event.number, event.old, event.new) == (number, old, terms)
    model = gpu_model_of(governed, number)
    assert (model.number, model.points, model.reference_usd) == (number, 77, 1_840_000)
    assert outcome.lamports_gained(GOVERNANCE) == 0
    assert (outcome.lamports_gained(KEEPER) < 0) == (number == 2)


def test_execute_proposal__unreserved_subsidy__goes_to_the_governance_and_no_more(governed: World) -> None:
    pool, before = governed.vault().subsidy_pool, governed.tokens(GOVERNANCE)
    _, event = carried_out(governed, ActionWithdrawUnreserved(GPUM, 0, pool)).events
    assert isinstance(event, events.UnreservedWithdrawn) and (event.subsidy, event.by) == (pool, GOVERNANCE)
    assert governed.tokens(GOVERNANCE) == before + pool
    with expect(errors.SubsidyPoolTooSmall):
        enacted(governed, ActionWithdrawUnreserved(GPUM, 0, 1))


def test_execute_proposal__order_draws_on_the_pool_first__what_is_left_leaves_all_the_same(governed: World) -> None:
    """A stranger could refuse any vote on a whole pool so, for nothing, until it expired."""
    pool, before = governed.vault().subsidy_pool, governed.tokens(GOVERNANCE)
    proposal = due(governed, ActionWithdrawUnreserved(GPUM, 0, pool))
    governed.act(governed.heartbeat(HOST, LISTING))
    drawn = governed.act(governed.open_rental(TENANT)).event(events.RentalOpened).subsidy
    assert drawn > 0
    governed.act(execute(governed, proposal))
    assert governed.tokens(GOVERNANCE) == before + pool - drawn
    assert governed.vault().subsidy_pool == 0
    governed.act(governed.stop_rental(governed.listing().current))
    assert governed.vault().subsidy_pool == drawn


@pytest.mark.parametrize("left", [0, 1])
def test_execute_proposal__treasury_transfer__moves_exactly_the_amount(governed: World, left: int) -> None:
    before = governed.tokens(STRANGER)
    enacted(governed, ActionTreasuryTransfer(GPUM, STRANGER, TREASURY_TOKENS - left))
    assert governed.tokens(STRANGER) == before + TREASURY_TOKENS - left
    assert governed.tokens(GOVERNANCE) == left


def test_execute_proposal__treasury_too_small__changes_nothing_and_may_be_tried_again(governed: World) -> None:
    proposal = due(governed, ActionTreasuryTransfer(GPUM, STRANGER, TREASURY_TOKENS + 1))
    with expect(errors.InsufficientFunds):
        governed.act(execute(governed, proposal))
    put_tokens(governed.cluster, GPUM, GOVERNANCE, TREASURY_TOKENS + 1)
    governed.act(execute(governed, proposal))
    assert governed.tokens(GOVERNANCE) == 0


def test_execute_proposal__treasury_transfer_to_another_wallet__is_refused(governed: World) -> None:
    proposal = due(governed, ActionTreasuryTransfer(GPUM, STRANGER, 1))
    metas = remaining_accounts(governed.read(Proposal, proposal))
    metas[1] = AccountMeta(token_address(HOST, GPUM), is_signer=False, is_writable=True)
    with expect(errors.WrongTokenOwner):
        governed.act(execute(governed, proposal, metas=metas))


def test_execute_proposal__treasury_transfer_from_another_mint_or_owner__is_refused(governed: World) -> None:
    proposal = due(governed, ActionTreasuryTransfer(GPUM, STRANGER, 1))
    original = remaining_accounts(governed.read(Proposal, proposal))
    for source, error in (
        (put_tokens(governed.cluster, USDC, GOVERNANCE, 5), errors.WrongMint),
        (token_address(HOST, GPUM), errors.WrongTokenOwner),
    ):
        metas = [AccountMeta(source, is_signer=False, is_writable=True), *original[1:]]
        with expect(error):
            governed.act(execute(governed, proposal, metas=metas))


def test_execute_proposal__second_token_account_of_the_recipient__is_their_choice_alone(governed: World) -> None:
    proposal = due(governed, ActionTreasuryTransfer(GPUM, STRANGER, 5))
    other = put_tokens(governed.cluster, GPUM, STRANGER, 0, at=address("stranger's second"))
    metas = remaining_accounts(governed.read(Proposal, proposal))
    metas[1] = AccountMeta(other, is_signer=False, is_writable=True)
    with expect(errors.NotAssociated):
        governed.act(execute(governed, proposal, metas=metas))
    governed.act(execute(governed, proposal, metas=metas, caller=STRANGER))
    assert balance_of(governed.cluster, other) == 5


@pytest.mark.parametrize("early", [1, 0])
def test_execute_proposal__around_the_timelock__is_refused_before(governed: World, early: int) -> None:
    proposal = queued(governed)
    governed.wait(TIMELOCK - early)
    if early:
        with expect(errors.TimelockRunning):
            governed.act(execute(governed, proposal))
    else:
        governed.act(execute(governed, proposal))


@pytest.mark.parametrize("left", [1, 0])
def test_execute_proposal__around_its_expiry__is_refused_from_it(governed: World, left: int) -> None:
    proposal = due(governed)
    governed.wait(EXECUTION_WINDOW - left)
    if left:
        governed.act(execute(governed, proposal))
    else:
        with expect(errors.ProposalExpired):
            governed.act(execute(governed, proposal))


def test_execute_proposal__twice__is_refused(governed: World) -> None:
    proposal = due(governed)
    governed.act(execute(governed, proposal))
    with expect(errors.WrongProposalState):
        governed.act(execute(governed, proposal))


def test_execute_proposal__not_queued__is_refused(governed: World) -> None:
    open_vote, ended = proposed(governed, proposer=TENANT), voted(governed)
    for proposal in (open_vote, ended):
        with expect(errors.WrongProposalState):
            governed.act(execute(governed, proposal))


def test_execute_proposal__value_out_of_bounds_by_then__changes_nothing(world: World) -> None:
    """Each share is within its own bounds, and their sum was until the other one changed."""
    with_stake(world)
    proposal = due(world, ActionSetParameter(MarketParameter.FEE_STAKERS_BPS, 6_001))
    world.act(set_parameter(MarketParameter.FEE_BURN_BPS, 4_000))
    world.act(hand_over())
    market, state = world.market(), world.read(Proposal, proposal)
    with expect(errors.ParameterOutOfBounds):
        world.act(execute(world, proposal))
    assert (world.market(), world.read(Proposal, proposal)) == (market, state)


def test_execute_proposal__before_the_hand_over__has_no_authority(world: World) -> None:
    proposal = due(with_stake(world))
    with expect(errors.Unauthorized):
        world.act(execute(world, proposal))


@pytest.mark.parametrize(
    ("action", "place", "other"),
    [
        (ActionApproveHost(find_host(HOST)[0], approved=False, subsidy_budget=5), 1, find_host(RIVAL)[0]),
        (ActionUpdatePaymentMint(find_payment_mint(USDC)[0], USDC_TERMS), 1, find_payment_mint(GPUM)[0]),
        (ActionAddPaymentMint(NEW_MINT, USDC_TERMS), 1, address("another mint")),
        (ActionAddRewardMint(NEW_MINT), 2, address("another mint")),
        (ActionWithdrawUnreserved(GPUM, 0, 1), 1, find_vault(GPUM, 1)[0]),
    ],
)
def test_execute_proposal__another_target_than_voted_for__is_refused(
    governed: World, action: Action, place: int, other: Pubkey
) -> None:
    put_mint(governed.cluster, NEW_MINT)
    put_mint(governed.cluster, address("another mint"))
    proposal = due(governed, action)
    metas = remaining_accounts(governed.read(Proposal, proposal))
    metas[place] = AccountMeta(other, is_signer=False, is_writable=metas[place].is_writable)
    with expect(errors.WrongAction):
        governed.act(execute(governed, proposal, metas=metas))


@pytest.mark.parametrize("extra", [-1, 1])
def test_execute_proposal__accounts_missing_or_too_many__is_refused(governed: World, extra: int) -> None:
    proposal = due(governed, ActionApproveHost(find_host(HOST)[0], approved=False, subsidy_budget=5))
    metas = remaining_accounts(governed.read(Proposal, proposal))
    other = AccountMeta(find_host(RIVAL)[0], is_signer=False, is_writable=True)
    with expect_refusal():
        governed.act(execute(governed, proposal, metas=metas[:extra] if extra < 0 else [*metas, other]))
    with expect_refusal():
        governed.act(execute(governed, proposal, metas=[other]))


def test_execute_proposal__market_in_another_program__is_refused(governed: World) -> None:
    """A market that looks the same and names the governance address cannot be made to stand in."""
    proposal = due(governed)
    original = governed.cluster.account(MARKET)
    assert original is not None
    forged = address("forged market")
    governed.cluster.set_account(forged, Account(original.lamports, original.data, STRANGER))
    with expect_refusal():
        governed.act(execute(governed, proposal, metas=[AccountMeta(forged, is_signer=False, is_writable=True)]))


def test_execute_proposal__votes_without_hand_over__former_authority_still_acts(world: World) -> None:
    voted(with_stake(world))
    world.act(set_paused(PauseArea.ORDERS, caller=AUTHORITY))
