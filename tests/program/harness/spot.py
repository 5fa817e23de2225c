"""Spot orders on a held machine: instructions, and rentals brought to a place there."""

from __future__ import annotations

from typing import Any

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import instructions
from anchor_client.generated.pdas import find_payment_mint, find_rental, find_renter_profile, find_stake, find_vault
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.generated.types.order import Order
from anchor_client.generated.types.rental_kind import RentalKind
from anchor_client.payment_tokens import payout_bump
from anchor_client.rules.meter import meter_to_end
from anchor_client.rules.subsidy import host_to_end

from .actors import GPUM, KEEPER, LISTING, RENTER, STRANGER, TENANT
from .flows import opened, running
from .reference import ceil_div
from .terms import HOUR, U64_MAX
from .tokens import payout_address, token_address
from .world import ORDER_HASH, World

GRACE = 90
HELD_AT = 2_000_001
"""Micro-USD per hour of the seeded holder's bid."""
LEAST = 2_100_002
"""The lowest bid that beats it: five per cent more, rounded up."""
BEST = 2_205_003
"""The lowest bid that beats `LEAST`."""
SPOT_FEE_BPS = 250
LONG = 4 * HOUR
"""Spot orders run for longer: an hour of one is worth less than the smallest order."""


def place_bid(
    world: World,
    renter: Pubkey = TENANT,
    *,
    listing: Pubkey = LISTING,
    mint: Pubkey = GPUM,
    shard: int = 0,
    bid: int = LEAST,
    kind: RentalKind | None = None,
    duration: int = LONG,
    max_deposit: int = U64_MAX,
    nonce: int | None = None,
    spec: int | None = None,
    **accounts: Any,
) -> Instruction:
    given = {"holder": world.listing(listing).current, **_placed(world, renter, listing, mint, shard), **accounts}
    order = _order(bid, kind, duration, max_deposit, world.listing(listing).spec_version if spec is None else spec)
    return instructions.place_bid(**given, nonce=_nonce(world, renter, nonce), order=order)


def outbid(
    world: World,
    renter: Pubkey = STRANGER,
    *,
    listing: Pubkey = LISTING,
    mint: Pubkey = GPUM,
    shard: int = 0,
    bid: int = BEST,
    kind: RentalKind | None = None,
    duration: int = LONG,
    max_deposit: int = U64_MAX,
    nonce: int | None = None,
    spec: int | None = None,
    bump: int | None = None,
    **accounts: Any,
) -> Instruction:
    state = world.listing(listing)
    beaten = world.rental(state.challenger)
    same_vault = (beaten.mint, beaten.shard) == (mint, shard)
    vault = find_vault(beaten.mint, beaten.shard)[0]
    given = {
        "holder": state.current,
        "beaten": state.challenger,
        "beaten_renter": beaten.renter,
        "beaten_profile": None if beaten.renter == renter else find_renter_profile(beaten.renter)[0],
        "beaten_vault": None if same_vault else vault,
        "beaten_vault_token": None if same_vault else token_address(vault, beaten.mint),
        "beaten_payout": payout_address(beaten.renter, beaten.mint),
        "beaten_meter": meter_to_end(state.challenger, beaten, PROGRAM_ID),
        **_placed(world, renter, listing, mint, shard),
        **accounts,
    }
    order = _order(bid, kind, duration, max_deposit, world.listing(listing).spec_version if spec is None else spec)
    found = payout_bump(beaten.renter, beaten.mint) if bump is None else bump
    return instructions.outbid(**given, nonce=_nonce(world, renter, nonce), order=order, payout_bump=found)


def withdraw_challenger(world: World, rental: Pubkey, **accounts: Any) -> Instruction:
    state = world.rental(rental)
    holder = world.listing(state.listing).current
    is_held = holder != Pubkey.default()
    wallet = world.rental(holder).renter if is_held else world.listing(state.listing).departed_renter
    given = {
        **_ended(world, rental),
        "caller": state.renter,
        "host": host_to_end(state, world.listing(state.listing)),
        "holder": holder if is_held else None,
        "holder_payout": None if wallet == Pubkey.default() else payout_address(wallet, state.mint),
        **accounts,
    }
    return instructions.withdraw_challenger(**given)


def preempt(world: World, listing: Pubkey = LISTING, **accounts: Any) -> Instruction:
    state = world.listing(listing)
    rental = world.rental(state.current)
    challenger = world.rental(accounts.get("challenger", state.challenger))
    same_vault = (challenger.mint, challenger.shard) == (rental.mint, rental.shard)
    vault = find_vault(challenger.mint, challenger.shard)[0]
    given = {
        **_ended(world, state.current),
        "caller": KEEPER,
        "host_payout": payout_address(state.authority, rental.mint),
        "mint": rental.mint if rental.burn_rate else None,
        "host": host_to_end(rental, state),
        "challenger": state.challenger,
        "payout_bump": payout_bump(rental.renter, rental.mint),
        "challenger_vault": None if same_vault else vault,
        "challenger_vault_token": None if same_vault else token_address(vault, challenger.mint),
        "compensation_payout": None if same_vault else payout_address(rental.renter, challenger.mint),
        **accounts,
    }
    return instructions.preempt(**given)


def compensation(world: World, rental: Pubkey) -> int:
    """The least charge of an order, without a subsidy: what it compensates a holder with."""
    state = world.rental(rental)
    return ceil_div((state.rate + state.subsidy_rate) * state.min_charge, HOUR)


def take_over(world: World, listing: Pubkey = LISTING, **accounts: Any) -> Instruction:
    state = world.listing(listing)
    given: dict[str, Any] = {"rental": state.challenger, "listing": listing}
    if state.departed != Pubkey.default() and state.challenger != Pubkey.default():
        order = world.rental(state.challenger)
        vault = find_vault(order.mint, order.shard)[0]
        given |= {
            "challenger_vault": vault,
            "challenger_vault_token": token_address(vault, order.mint),
            "compensation_payout": payout_address(state.departed_renter, order.mint),
        }
    return instructions.take_over(**given | accounts)


def held(world: World, renter: Pubkey = RENTER, *, bid: int = HELD_AT, **order: Any) -> Pubkey:
    """A running spot rental."""
    return running(world, renter, kind=RentalKind.SPOT, bid=bid, **{"duration": LONG, **order})


def queued(world: World, renter: Pubkey = RENTER, *, bid: int = HELD_AT, **order: Any) -> Pubkey:
    """A spot rental that its host has not looked at yet."""
    return opened(world, renter, kind=RentalKind.SPOT, bid=bid, **{"duration": LONG, **order})


def challenged(world: World, renter: Pubkey = TENANT, **order: Any) -> Pubkey:
    """An order that waits for a machine that is held."""
    rental = find_rental(renter, world.profile(renter).next_nonce)[0]
    world.act(place_bid(world, renter, **order))
    return rental


def register_stranger(world: World) -> None:
    """A third renter."""
    world.act(world.register_renter(STRANGER))


def _order(bid: int, kind: RentalKind | None, duration: int, max_deposit: int, spec: int) -> Order:
    """A spot order, unless another kind is given."""
    given = RentalKind.SPOT if kind is None else kind
    offer = bid if given is RentalKind.SPOT else 0
    return Order(
        kind=given,
        duration=duration,
        max_deposit=max_deposit,
        order_hash=ORDER_HASH,
        bid_usd=offer,
        spec_version=spec,
        may_finish=False,
    )


def _nonce(world: World, renter: Pubkey, nonce: int | None) -> int:
    return world.profile(renter).next_nonce if nonce is None else nonce


def _placed(world: World, renter: Pubkey, listing: Pubkey, mint: Pubkey, shard: int) -> dict[str, Any]:
    vault = find_vault(mint, shard)[0]
    return {
        "renter": renter,
        "listing": listing,
        "payment_mint": find_payment_mint(mint)[0],
        "renter_token": token_address(renter, mint),
        "host": world.listing(listing).host,
        "host_stake": find_stake(world.listing(listing).authority)[0],
        "vault": vault,
        "vault_token": token_address(vault, mint),
    }


def _ended(world: World, rental: Pubkey) -> dict[str, Any]:
    state = world.rental(rental)
    vault = find_vault(state.mint, state.shard)[0]
    return {
        "rental": rental,
        "listing": state.listing,
        "renter": state.renter,
        "renter_profile": find_renter_profile(state.renter)[0],
        "renter_payout": payout_address(state.renter, state.mint),
        "vault": vault,
        "vault_token": token_address(vault, state.mint),
        "meter": meter_to_end(rental, state, PROGRAM_ID),
    }
