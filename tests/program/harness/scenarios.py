"""For every instruction a world in which it works, and that instruction."""

from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

from solders.account import Account
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import instructions
from anchor_client.generated.pdas import find_host, find_payment_mint, find_vault
from anchor_client.generated.types.market_key import MarketKey
from anchor_client.generated.types.market_keys import MarketKeys
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.generated.types.pause_area import PauseArea
from anchor_client.generated.types.rental_issue import RentalIssue
from tests.markets.spec import SPEC

from . import staking
from .actors import (
    AUTHORITY,
    GPUM,
    GUARDIAN,
    HOST,
    LISTING,
    LISTINGS,
    MINTS,
    ORACLE,
    RENTER,
    RIVAL_LISTING,
    STRANGER,
    TENANT,
    TREASURY,
    USDC,
    WSOL,
)
from .audit import Audit
from .changes import approve_host, withdraw_unreserved
from .charges_scenarios import CHARGES_SCENARIOS
from .cluster import PROGRAM_DATA, Cluster
from .endings import ENDINGS, FINISH, Ending
from .flows import accepted, finished, opened, pay_elsewhere, requested, running
from .governance_scenarios import GOVERNANCE_SCENARIOS
from .keys import address
from .market import bare_world, seeded_world
from .spot import GRACE, challenged, held, outbid, place_bid, preempt, register_stranger, take_over, withdraw_challenger
from .staking import CATALOG, POOL, TOKEN, put_pool_tokens
from .terms import DAY, HOUR, MINUTE, USDC_TERMS, WSOL_PRICE
from .tokens import put_mint, put_tokens, token_address
from .world import World

IDL: dict[str, Any] = json.loads((Path(__file__).parents[3] / "idl" / "gpu_market.json").read_text())
NEW_MINT = address("new mint")
NEWCOMER = address("newcomer")

Scenario = Callable[[], tuple[World, Instruction]]


def _kept(play: Scenario) -> Scenario:
    """Plays the scenario once a process; then restores the world it led to."""

    @cache
    def played() -> tuple[dict[Pubkey, Account], int, Audit, bool, Instruction]:
        world, instruction = play()
        cluster = world.cluster
        return cluster.accounts(), cluster.now, world.audit.copy(), bool(cluster.observers), instruction

    def scenario() -> tuple[World, Instruction]:
        accounts, now, audit, is_audited, instruction = played()
        world = World(Cluster(accounts, now), audit.copy())
        if not is_audited:
            world.cluster.observers.clear()
        return world, instruction

    return scenario


def _seeded(prepare: Callable[[World], Instruction]) -> Scenario:
    """In a market where another renter has a rental running at the other host and a request waiting,
    paid in another mint."""

    def scenario() -> tuple[World, Instruction]:
        world = seeded_world()
        running(world, TENANT, listing=RIVAL_LISTING, mint=USDC)
        requested(world, TENANT, mint=USDC)
        return world, prepare(world)

    return scenario


def _initialize_market() -> tuple[World, Instruction]:
    keys = MarketKeys(guardian=GUARDIAN, treasury=TREASURY)
    act = instructions.initialize_market(
        authority=AUTHORITY, program_data=PROGRAM_DATA, market_mint=GPUM, keys=keys, testing=False
    )
    return bare_world(), act


def _add_payment_mint(world: World) -> Instruction:
    put_mint(world.cluster, NEW_MINT)
    return instructions.add_payment_mint(authority=AUTHORITY, mint=NEW_MINT, terms=USDC_TERMS)


def _add_vault(world: World) -> Instruction:
    put_mint(world.cluster, NEW_MINT)
    world.act(instructions.add_payment_mint(authority=AUTHORITY, mint=NEW_MINT, terms=USDC_TERMS))
    vault_token = put_tokens(world.cluster, NEW_MINT, find_vault(NEW_MINT, 0)[0], 0)
    return instructions.add_vault(caller=STRANGER, mint=NEW_MINT, vault_token=vault_token, shard=0)


def _post_price(world: World) -> Instruction:
    world.wait(MINUTE)
    return instructions.post_price(oracle=ORACLE, payment_mint=find_payment_mint(WSOL)[0], price=WSOL_PRICE + 1)


def _sweep_fees(world: World) -> Instruction:
    rental = running(world)
    world.run(HOUR)
    world.act(world.finalize_rental(rental))
    return world.sweep_fees()


def _half_used(act: Callable[[World, Pubkey], Instruction]) -> Callable[[World], Instruction]:
    def prepare(world: World) -> Instruction:
        rental = running(world)
        world.run(HOUR // 2)
        return act(world, rental)

    return prepare


def _report_issue(world: World) -> Instruction:
    """One that weighs."""
    pay_elsewhere(world, listing=LISTINGS[1])
    return world.report_issue(running(world), RentalIssue.NOT_AS_LISTED)


def _end(ending: Ending) -> Callable[[World], Instruction]:
    return lambda world: ending.act(world, ending.prepare(world))


def _unpaid(world: World, payee: Pubkey) -> Pubkey:
    """A rental that ended while its payee's account was frozen, which it is no longer."""
    rental = running(world, mint=USDC)
    world.run(HOUR // 2)
    held = world.tokens(payee, USDC)
    put_tokens(world.cluster, USDC, payee, held, frozen=True)
    world.act(world.stop_rental(rental))
    put_tokens(world.cluster, USDC, payee, held)
    return rental


def _claim_payout(world: World) -> Instruction:
    _unpaid(world, HOST)
    return world.claim_payout()


def _claim_refund(world: World) -> Instruction:
    return world.claim_refund(_unpaid(world, RENTER))


def _release_holdback(world: World) -> Instruction:
    rental = finished(world)
    world.wait(DAY)
    return world.release_holdback(rental)


def _initialize_pool() -> tuple[World, Instruction]:
    world, _ = _initialize_market()
    world.act(_initialize_market()[1])
    put_pool_tokens(world.cluster)
    return world, instructions.initialize_pool(authority=AUTHORITY, pool_token=token_address(POOL, GPUM))


def _initialize_catalog() -> tuple[World, Instruction]:
    world, _ = _initialize_pool()
    return world, instructions.initialize_catalog(authority=AUTHORITY, catalog_token=token_address(CATALOG, GPUM))


def _add_reward_mint(world: World) -> Instruction:
    put_mint(world.cluster, NEW_MINT)
    put_tokens(world.cluster, NEW_MINT, POOL, 0)
    return staking.add_reward_mint(NEW_MINT)


def _sweep_stakers(world: World) -> Instruction:
    world.act(_sweep_fees(world))
    return staking.sweep_stakers()


def _with_stakers(act: Callable[[World], Instruction]) -> Callable[[World], Instruction]:
    """In an epoch that pays rewards to two stakers, the second of whom has stake in every state."""

    def prepare(world: World) -> Instruction:
        world.act(staking.stake(TENANT, 3 * TOKEN), staking.stake(RENTER, TOKEN))
        world.act(*(staking.fund_rewards(10**9, mint) for mint in MINTS))
        staking.next_epoch(world)
        world.act(staking.stake(RENTER, TOKEN), staking.unstake(RENTER, 2))
        staking.next_epoch(world, into=5)
        world.act(staking.advance_epoch())
        return act(world)

    return prepare


def _close_stake(world: World) -> Instruction:
    world.act(staking.stake(TENANT))
    staking.emptied(world)
    return staking.close_stake()


def _refresh_listing(world: World) -> Instruction:
    world.act(staking.set_gpu_model(1, 120))
    return staking.refresh_listing()


def _withdraw_mfp(world: World) -> Instruction:
    world.act(staking.lock_mfp(), staking.unlock_mfp())
    world.wait(7 * DAY)
    return staking.withdraw_mfp()


def _advance_epoch(world: World) -> Instruction:
    world.act(staking.stake(), *(staking.fund_rewards(10**9, mint) for mint in MINTS))
    staking.next_epoch(world)
    return staking.advance_epoch()


def _heartbeat(world: World) -> Instruction:
    world.wait(60)
    return world.heartbeat(HOST, *LISTINGS)


def _mark_silent(world: World) -> Instruction:
    world.wait(301)
    return world.mark_silent()


def _update_reputation(world: World) -> Instruction:
    rental = running(world)
    world.run(HOUR)
    world.act(world.rate_rental(rental), world.finalize_rental(rental))
    return world.update_reputation(HOST, *LISTINGS)


def _place_bid(world: World) -> Instruction:
    held(world, TENANT)
    return place_bid(world, RENTER)


def _outbid(world: World) -> Instruction:
    """Both other parties pay in another mint than the new one."""
    register_stranger(world)
    held(world, TENANT, mint=USDC)
    challenged(world, STRANGER, mint=USDC)
    return outbid(world, RENTER)


def _withdraw_challenger(world: World) -> Instruction:
    held(world, TENANT)
    challenger = challenged(world, RENTER)
    world.wait(1)
    return withdraw_challenger(world, challenger)


def _preempt(world: World) -> Instruction:
    held(world, RENTER)
    challenged(world, TENANT)
    world.run(GRACE)
    return preempt(world)


def _take_over(world: World) -> Instruction:
    holder = held(world, TENANT)
    challenged(world, RENTER)
    world.act(world.stop_rental(holder))
    return take_over(world)


def _sweep_rent(world: World) -> Instruction:
    host = find_host(HOST)[0]
    world.cluster.give(host, 1)
    return instructions.sweep_rent(account=host, owner=HOST)


def _close_renter(world: World) -> Instruction:
    world.act(world.register_renter(STRANGER))
    world.wait(HOUR)
    return instructions.close_renter(wallet=STRANGER)


def _expire_request(world: World) -> Instruction:
    request = requested(world)
    world.wait(DAY)
    return world.expire_request(request)


SCENARIOS: dict[str, Scenario] = {
    "initialize_market": _initialize_market,
    "initialize_pool": _initialize_pool,
    "initialize_catalog": _initialize_catalog,
    **{
        name: _seeded(prepare)
        for name, prepare in {
            "update_market": lambda world: instructions.update_market(
                authority=AUTHORITY, parameter=MarketParameter.TIP_LAMPORTS, value=7
            ),
            "update_market_key": lambda world: instructions.update_market_key(
                authority=AUTHORITY, key=MarketKey.GUARDIAN, new=STRANGER
            ),
            "set_paused": lambda world: instructions.set_paused(caller=GUARDIAN, area=PauseArea.ORDERS, paused=True),
            "add_payment_mint": _add_payment_mint,
            "update_payment_mint": lambda world: instructions.update_payment_mint(
                authority=AUTHORITY, payment_mint=find_payment_mint(USDC)[0], terms=USDC_TERMS
            ),
            "add_vault": _add_vault,
            "post_price": _post_price,
            "fund_subsidy": lambda world: world.fund_subsidy(STRANGER, 1_000_000),
            "sweep_fees": _sweep_fees,
            "sweep_rent": _sweep_rent,
            "withdraw_unreserved": lambda world: withdraw_unreserved(1_000_000),
            "register_host": lambda world: instructions.register_host(authority=STRANGER, seal_key=bytes(STRANGER)),
            "update_host": lambda world: instructions.update_host(
                authority=HOST, host=find_host(HOST)[0], seal_key=bytes(STRANGER)
            ),
            "approve_host": lambda world: approve_host(),
            "create_listing": lambda world: world.create_listing(),
            "update_listing": lambda world: instructions.update_listing(authority=HOST, listing=LISTING, spec=SPEC),
            "set_operator": lambda world: world.set_operator(STRANGER),
            "close_listing": lambda world: instructions.close_listing(
                authority=HOST, listing=LISTING, host=find_host(HOST)[0]
            ),
            "heartbeat": _heartbeat,
            "mark_silent": _mark_silent,
            "update_reputation": _update_reputation,
            "register_renter": lambda world: world.register_renter(NEWCOMER, STRANGER),
            "open_rental": lambda world: world.open_rental(),
            "accept_rental": lambda world: world.accept_rental(opened(world)),
            "start_rental": lambda world: world.start_rental(accepted(world)),
            "extend_rental": lambda world: world.extend_rental(running(world)),
            "settle_rental": _half_used(World.settle_rental),
            "rate_rental": _half_used(World.rate_rental),
            "report_issue": _report_issue,
            "add_reward_mint": _add_reward_mint,
            "advance_epoch": _advance_epoch,
            "fund_rewards": lambda world: staking.fund_rewards(1_000_000, USDC),
            "sweep_stakers": _sweep_stakers,
            "stake": lambda world: staking.stake(),
            "unstake": _with_stakers(lambda world: staking.unstake(amount=TOKEN + TOKEN // 2)),
            "withdraw_stake": _with_stakers(lambda world: staking.withdraw_stake()),
            "close_stake": _close_stake,
            "claim": _with_stakers(lambda world: staking.claim()),
            "compound": _with_stakers(lambda world: staking.compound()),
            "set_gpu_model": lambda world: staking.set_gpu_model(2, 40),
            "refresh_listing": _refresh_listing,
            "lock_mfp": lambda world: staking.lock_mfp(),
            "unlock_mfp": lambda world: (world.act(staking.lock_mfp()), staking.unlock_mfp())[1],
            "withdraw_mfp": _withdraw_mfp,
            "close_renter": _close_renter,
            "open_request": lambda world: world.open_request(),
            "cancel_request": lambda world: world.cancel_request(requested(world)),
            "expire_request": _expire_request,
            "match_request": lambda world: world.match_request(requested(world)),
            **{ending.name: _end(ending) for ending in (*ENDINGS, FINISH)},
            "claim_payout": _claim_payout,
            "claim_refund": _claim_refund,
            "contest_finish": lambda world: world.contest_finish(finished(world)),
            "release_holdback": _release_holdback,
            "place_bid": _place_bid,
            "outbid": _outbid,
            "withdraw_challenger": _withdraw_challenger,
            "preempt": _preempt,
            "take_over": _take_over,
        }.items()
    },
}


SCENARIOS.update({name: _seeded(prepare) for name, prepare in (CHARGES_SCENARIOS | GOVERNANCE_SCENARIOS).items()})
SCENARIOS = {name: _kept(scenario) for name, scenario in SCENARIOS.items()}


def accounts_of(instruction: str) -> list[dict[str, Any]]:
    """The accounts of an instruction, as the IDL lists them."""
    found: list[dict[str, Any]] = next(each["accounts"] for each in IDL["instructions"] if each["name"] == instruction)
    return found
