"""Rentals brought to a state by the acts that lead there."""

from __future__ import annotations

from typing import Any, Protocol

from solders.pubkey import Pubkey

from anchor_client.generated.pdas import find_rental, find_request

from .actors import LISTING, RENTER, RIVAL_LISTING, USDC
from .terms import HOUR
from .world import World


class Flow(Protocol):
    """Gives a new rental in the flow's state; `order` are arguments of World.open_rental."""

    def __call__(self, world: World, renter: Pubkey = RENTER, **order: Any) -> Pubkey: ...


def opened(world: World, renter: Pubkey = RENTER, **order: Any) -> Pubkey:
    """A queued rental."""
    rental = find_rental(renter, world.profile(renter).next_nonce)[0]
    world.act(world.open_rental(renter, **order))
    return rental


def accepted(world: World, renter: Pubkey = RENTER, **order: Any) -> Pubkey:
    """A rental that its host is provisioning."""
    rental = opened(world, renter, **order)
    world.act(world.accept_rental(rental))
    return rental


def running(world: World, renter: Pubkey = RENTER, **order: Any) -> Pubkey:
    """A rental whose meter has just started."""
    rental = accepted(world, renter, **order)
    world.act(world.start_rental(rental))
    return rental


def finished(world: World, renter: Pubkey = RENTER, *, seconds: int = HOUR // 2, **order: Any) -> Pubkey:
    """A rental whose command has ended after `seconds`, and whose holdback waits."""
    rental = running(world, renter, may_finish=True, **order)
    listing = world.rental(rental).listing
    world.run(seconds, world.listing(listing).authority, listing)
    world.act(world.finish_rental(rental))
    return rental


def pay_elsewhere(world: World, renter: Pubkey = RENTER, *, seconds: int = 180, listing: Pubkey = RIVAL_LISTING) -> int:
    """The renter uses another machine for so long, a rival's by default; gives what their next report may weigh."""
    rental = running(world, renter, listing=listing, mint=USDC)
    world.run(seconds, world.listing(listing).authority, listing)
    world.act(world.stop_rental(rental))
    world.act(world.heartbeat())
    profile = world.profile(renter)
    return profile.spent_usd - profile.reported_usd


def requested(world: World, renter: Pubkey = RENTER, **order: Any) -> Pubkey:
    """A request that waits for a machine; `order` are arguments of World.open_request."""
    request = find_request(renter, world.profile(renter).next_nonce)[0]
    world.act(world.open_request(renter, **order))
    return request


def matched(world: World, request: Pubkey, listing: Pubkey = LISTING) -> Pubkey:
    """The queued rental that a request has become."""
    state = world.request(request)
    world.act(world.match_request(request, listing))
    return find_rental(state.renter, state.nonce)[0]
