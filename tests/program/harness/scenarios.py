"""For every instruction a world in which it works, and that instruction."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import instructions
from anchor_client.generated.pdas import find_host, find_payment_mint, find_vault
from anchor_client.generated.types.market_key import MarketKey
from anchor_client.generated.types.market_keys import MarketKeys
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.generated.types.pause_area import PauseArea

from .actors import (
    AUTHORITY,
    GPUM,
    GUARDIAN,
    HOST,
    LISTING,
    LISTINGS,
    ORACLE,
    RIVAL_LISTING,
    STRANGER,
    TENANT,
    TREASURY,
    USDC,
    WSOL,
)
from .cluster import PROGRAM_DATA
from .endings import ENDINGS, Ending
from .flows import accepted, opened, requested, running
from .keys import address
from .market import bare_world, seeded_world
from .terms import DAY, HOUR, SPEC, USDC_TERMS
from .tokens import put_mint, put_tokens
from .world import World

IDL: dict[str, Any] = json.loads((Path(__file__).parents[3] / "idl" / "gpu_market.json").read_text())
NEW_MINT = address("new mint")
NEWCOMER = address("newcomer")

Scenario = Callable[[], tuple[World, Instruction]]


def _seeded(prepare: Callable[[World], Instruction]) -> Scenario:
    """In a market where another renter's rental runs at the other host, and his request waits, paid in another mint."""

    def scenario() -> tuple[World, Instruction]:
        world = seeded_world()
        running(world, TENANT, listing=RIVAL_LISTING, mint=USDC)
        requested(world, TENANT, mint=USDC)
        return world, prepare(world)

    return scenario


def _initialize_market() -> tuple[World, Instruction]:
    keys = MarketKeys(guardian=GUARDIAN, treasury=TREASURY)
    act = instructions.initialize_market(authority=AUTHORITY, program_data=PROGRAM_DATA, market_mint=GPUM, keys=keys)
    return bare_world(), act


def _add_payment_mint(world: World) -> Instruction:
    put_mint(world.cluster, NEW_MINT)
    return instructions.add_payment_mint(authority=AUTHORITY, mint=NEW_MINT, terms=USDC_TERMS)


def _add_vault(world: World) -> Instruction:
    put_mint(world.cluster, NEW_MINT)
    world.act(instructions.add_payment_mint(authority=AUTHORITY, mint=NEW_MINT, terms=USDC_TERMS))
    vault_token = put_tokens(world.cluster, NEW_MINT, find_vault(NEW_MINT, 0)[0], 0)
    return instructions.add_vault(payer=STRANGER, mint=NEW_MINT, vault_token=vault_token, shard=0)


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


def _end(ending: Ending) -> Callable[[World], Instruction]:
    return lambda world: ending.act(world, ending.prepare(world))


def _heartbeat(world: World) -> Instruction:
    world.wait(60)
    return world.heartbeat(HOST, *LISTINGS)


def _expire_request(world: World) -> Instruction:
    request = requested(world)
    world.wait(DAY)
    return world.expire_request(request)


SCENARIOS: dict[str, Scenario] = {
    "initialize_market": _initialize_market,
    **{
        name: _seeded(prepare)
        for name, prepare in {
            "update_market": lambda world: instructions.update_market(
                authority=AUTHORITY, parameter=MarketParameter.TIP_LAMPORTS, value=7
            ),
            "update_market_key": lambda world: instructions.update_market_key(
                authority=AUTHORITY, key=MarketKey.GUARDIAN, new=STRANGER
            ),
            "set_paused": lambda world: instructions.set_paused(signer=GUARDIAN, area=PauseArea.ORDERS, paused=True),
            "add_payment_mint": _add_payment_mint,
            "update_payment_mint": lambda world: instructions.update_payment_mint(
                authority=AUTHORITY, payment_mint=find_payment_mint(USDC)[0], terms=USDC_TERMS
            ),
            "add_vault": _add_vault,
            "post_price": lambda world: instructions.post_price(
                oracle=ORACLE, payment_mint=find_payment_mint(WSOL)[0], price=1
            ),
            "fund_subsidy": lambda world: world.fund_subsidy(STRANGER, 1_000_000),
            "sweep_fees": _sweep_fees,
            "register_host": lambda world: instructions.register_host(authority=STRANGER, seal_key=bytes(STRANGER)),
            "update_host": lambda world: instructions.update_host(
                authority=HOST, host=find_host(HOST)[0], seal_key=bytes(STRANGER)
            ),
            "approve_host": lambda world: instructions.approve_host(
                authority=AUTHORITY, host=find_host(HOST)[0], approved=True
            ),
            "create_listing": lambda world: world.create_listing(),
            "update_listing": lambda world: instructions.update_listing(authority=HOST, listing=LISTING, spec=SPEC),
            "close_listing": lambda world: instructions.close_listing(
                authority=HOST, listing=LISTING, host=find_host(HOST)[0]
            ),
            "heartbeat": _heartbeat,
            "register_renter": lambda world: instructions.register_renter(payer=STRANGER, wallet=NEWCOMER),
            "open_rental": lambda world: world.open_rental(),
            "accept_rental": lambda world: world.accept_rental(opened(world)),
            "start_rental": lambda world: world.start_rental(accepted(world)),
            "extend_rental": lambda world: world.extend_rental(running(world)),
            "settle_rental": _half_used(World.settle_rental),
            "rate_rental": _half_used(World.rate_rental),
            "open_request": lambda world: world.open_request(),
            "cancel_request": lambda world: world.cancel_request(requested(world)),
            "expire_request": _expire_request,
            "match_request": lambda world: world.match_request(requested(world)),
            **{ending.name: _end(ending) for ending in ENDINGS},
        }.items()
    },
}


def accounts_of(instruction: str) -> list[dict[str, Any]]:
    """The accounts of an instruction, as the IDL lists them."""
    found: list[dict[str, Any]] = next(each["accounts"] for each in IDL["instructions"] if each["name"] == instruction)
    return found
