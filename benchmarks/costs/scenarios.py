"""For every instruction of the IDL a state of the seeded market in which it works, and the instruction itself.

Keys have fixed seeds, so that a figure changes only with the program.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import instructions
from anchor_client.generated.pdas import find_host, find_payment_mint, find_vault
from anchor_client.generated.types.market_key import MarketKey
from anchor_client.generated.types.market_keys import MarketKeys
from anchor_client.generated.types.market_parameter import MarketParameter
from anchor_client.generated.types.pause_area import PauseArea
from tests.program.harness.actors import (
    AUTHORITY,
    GPUM,
    GUARDIAN,
    HOST,
    LISTING,
    LISTINGS,
    ORACLE,
    STRANGER,
    TREASURY,
    USDC,
    WSOL,
)
from tests.program.harness.cluster import PROGRAM_DATA
from tests.program.harness.flows import accepted, opened, running
from tests.program.harness.keys import address
from tests.program.harness.market import bare_world, seeded_world
from tests.program.harness.terms import GPUM_TERMS, HOUR, SPEC, USDC_TERMS, WSOL_PRICE
from tests.program.harness.tokens import put_mint, put_tokens
from tests.program.harness.world import World

Scenario = Callable[[], tuple[World, Instruction]]
SEAL_KEY = bytes(range(32))


def _initialize_market() -> tuple[World, Instruction]:
    keys = MarketKeys(guardian=GUARDIAN, treasury=TREASURY)
    return bare_world(), instructions.initialize_market(
        authority=AUTHORITY, program_data=PROGRAM_DATA, market_mint=GPUM, keys=keys
    )


def _update_market() -> tuple[World, Instruction]:
    return seeded_world(), instructions.update_market(
        authority=AUTHORITY, parameter=MarketParameter.MIN_DURATION, value=HOUR
    )


def _update_market_key() -> tuple[World, Instruction]:
    return seeded_world(), instructions.update_market_key(authority=AUTHORITY, key=MarketKey.GUARDIAN, new=STRANGER)


def _set_paused() -> tuple[World, Instruction]:
    return seeded_world(), instructions.set_paused(signer=GUARDIAN, area=PauseArea.ORDERS, paused=True)


def _add_payment_mint() -> tuple[World, Instruction]:
    world, mint = seeded_world(), address("new mint")
    put_mint(world.cluster, mint)
    return world, instructions.add_payment_mint(authority=AUTHORITY, mint=mint, terms=USDC_TERMS)


def _update_payment_mint() -> tuple[World, Instruction]:
    terms = replace(GPUM_TERMS, burn_bps=1_000)
    return seeded_world(), instructions.update_payment_mint(
        authority=AUTHORITY, payment_mint=find_payment_mint(GPUM)[0], terms=terms
    )


def _add_vault() -> tuple[World, Instruction]:
    world, terms = seeded_world(), replace(USDC_TERMS, shards=2)
    world.act(
        instructions.update_payment_mint(authority=AUTHORITY, payment_mint=find_payment_mint(USDC)[0], terms=terms)
    )
    put_tokens(world.cluster, USDC, find_vault(USDC, 1)[0], 0)
    return world, instructions.add_vault(payer=AUTHORITY, mint=USDC, shard=1)


def _post_price() -> tuple[World, Instruction]:
    return seeded_world(), instructions.post_price(
        oracle=ORACLE, payment_mint=find_payment_mint(WSOL)[0], price=WSOL_PRICE + 1
    )


def _fund_subsidy() -> tuple[World, Instruction]:
    world = seeded_world()
    return world, world.fund_subsidy(AUTHORITY, 10**9)


def _sweep_fees() -> tuple[World, Instruction]:
    world, rental = _expired()
    world.act(world.finalize_rental(rental))
    return world, world.sweep_fees()


def _register_host() -> tuple[World, Instruction]:
    return seeded_world(), instructions.register_host(authority=STRANGER, seal_key=SEAL_KEY)


def _update_host() -> tuple[World, Instruction]:
    return seeded_world(), instructions.update_host(authority=HOST, host=find_host(HOST)[0], seal_key=SEAL_KEY)


def _approve_host() -> tuple[World, Instruction]:
    world = seeded_world()
    world.act(instructions.register_host(authority=STRANGER, seal_key=SEAL_KEY))
    return world, instructions.approve_host(authority=AUTHORITY, host=find_host(STRANGER)[0], approved=True)


def _create_listing() -> tuple[World, Instruction]:
    world = seeded_world()
    return world, world.create_listing(HOST)


def _update_listing() -> tuple[World, Instruction]:
    spec = replace(SPEC, on_demand_usd=SPEC.on_demand_usd + 1)
    return seeded_world(), instructions.update_listing(authority=HOST, listing=LISTING, spec=spec)


def _close_listing() -> tuple[World, Instruction]:
    return seeded_world(), instructions.close_listing(authority=HOST, listing=LISTING, host=find_host(HOST)[0])


def _heartbeat() -> tuple[World, Instruction]:
    world = seeded_world()
    world.wait(20)
    return world, world.heartbeat(HOST, *LISTINGS)


def _register_renter() -> tuple[World, Instruction]:
    return seeded_world(), instructions.register_renter(payer=STRANGER, wallet=STRANGER)


def _open_rental() -> tuple[World, Instruction]:
    world = seeded_world()
    return world, world.open_rental()


def _accept_rental() -> tuple[World, Instruction]:
    world = seeded_world()
    return world, world.accept_rental(opened(world))


def _start_rental() -> tuple[World, Instruction]:
    world = seeded_world()
    return world, world.start_rental(accepted(world))


def _extend_rental() -> tuple[World, Instruction]:
    world, rental = _half_used()
    return world, world.extend_rental(rental)


def _settle_rental() -> tuple[World, Instruction]:
    world, rental = _half_used()
    return world, world.settle_rental(rental)


def _rate_rental() -> tuple[World, Instruction]:
    world, rental = _half_used()
    return world, world.rate_rental(rental)


def _report_issue() -> tuple[World, Instruction]:
    world, rental = _half_used()
    return world, world.report_issue(rental)


def _update_reputation() -> tuple[World, Instruction]:
    """A host's first score over eight listings, one of them with a rating and a rental that ended."""
    world, rental = _half_used()
    world.act(world.rate_rental(rental), world.stop_rental(rental))
    return world, world.update_reputation(HOST, *LISTINGS)


def _stop_rental() -> tuple[World, Instruction]:
    world, rental = _half_used()
    return world, world.stop_rental(rental)


def _cancel_rental() -> tuple[World, Instruction]:
    world, rental = _half_used()
    return world, world.cancel_rental(rental)


def _cancel_unstarted() -> tuple[World, Instruction]:
    world = seeded_world()
    rental = accepted(world)
    world.wait(world.market().provision_timeout + 1)
    return world, world.cancel_unstarted(rental)


def _finalize_rental() -> tuple[World, Instruction]:
    world, rental = _expired()
    return world, world.finalize_rental(rental)


def _report_offline() -> tuple[World, Instruction]:
    world, rental = _half_used()
    world.wait(world.market().offline_after + 1)
    return world, world.report_offline(rental)


def _half_used() -> tuple[World, Pubkey]:
    """A rental in the market token, with subsidy and burn, after half of its time."""
    world = seeded_world()
    rental = running(world)
    world.run(HOUR // 2)
    return world, rental


def _expired() -> tuple[World, Pubkey]:
    """The same rental after all of it."""
    world = seeded_world()
    rental = running(world)
    for _ in range(2):
        world.run(HOUR // 2)
    return world, rental


SCENARIOS: Mapping[str, Scenario] = {
    "initialize_market": _initialize_market,
    "update_market": _update_market,
    "update_market_key": _update_market_key,
    "set_paused": _set_paused,
    "add_payment_mint": _add_payment_mint,
    "update_payment_mint": _update_payment_mint,
    "add_vault": _add_vault,
    "post_price": _post_price,
    "fund_subsidy": _fund_subsidy,
    "sweep_fees": _sweep_fees,
    "register_host": _register_host,
    "update_host": _update_host,
    "approve_host": _approve_host,
    "create_listing": _create_listing,
    "update_listing": _update_listing,
    "close_listing": _close_listing,
    "heartbeat": _heartbeat,
    "update_reputation": _update_reputation,
    "register_renter": _register_renter,
    "open_rental": _open_rental,
    "accept_rental": _accept_rental,
    "start_rental": _start_rental,
    "extend_rental": _extend_rental,
    "settle_rental": _settle_rental,
    "rate_rental": _rate_rental,
    "report_issue": _report_issue,
    "stop_rental": _stop_rental,
    "cancel_rental": _cancel_rental,
    "cancel_unstarted": _cancel_unstarted,
    "finalize_rental": _finalize_rental,
    "report_offline": _report_offline,
}
"""By the instruction's name; heartbeats are of eight listings, rentals in the market token with subsidy and burn."""
