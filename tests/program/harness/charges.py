"""Acts on a rental's meter; every argument has the seeded market's value.

Functions named after an instruction give that instruction; `accounts` replace addresses by the IDL's names.
"""

from __future__ import annotations

from typing import Any, Final

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import instructions
from anchor_client.generated.accounts.meter import Meter
from anchor_client.generated.pdas import find_meter, find_payment_mint, find_vault
from anchor_client.generated.types.charges import Charges
from anchor_client.payment_tokens import payout_bump

from .actors import HOST, KEEPER, LISTING, RENTER, RIVAL, RIVAL_LISTING
from .flows import running
from .tokens import payout_address, token_address
from .world import World

CHARGES: Final = Charges(bandwidth_usd=20_003, bandwidth_free_gb=50, storage_usd=137)
CAP: Final = 400_000_000
STORAGE_GB: Final = 250
WINDOW: Final = 86_400
"""Seconds of the market's charge window."""
FREE_MB: Final = 50_000


def set_charges(listing: Pubkey = LISTING, charges: Charges = CHARGES, **accounts: Any) -> Instruction:
    host = RIVAL if listing == RIVAL_LISTING else HOST
    return instructions.set_charges(**{"authority": host, "listing": listing, **accounts}, charges=charges)


def open_meter(
    world: World,
    rental: Pubkey,
    cap: int = CAP,
    storage_gb: int = STORAGE_GB,
    agreed: Charges = CHARGES,
    **accounts: Any,
) -> Instruction:
    state = world.rental(rental)
    vault = find_vault(state.mint, state.shard)[0]
    given: dict[str, Any] = {
        "renter": state.renter,
        "rental": rental,
        "listing": state.listing,
        "payment_mint": find_payment_mint(state.mint)[0],
        "vault": vault,
        "vault_token": token_address(vault, state.mint),
        "renter_token": token_address(state.renter, state.mint),
        **accounts,
    }
    return instructions.open_meter(**given, cap=cap, storage_gb=storage_gb, agreed=agreed)


def report_usage(
    world: World, meter: Pubkey, bandwidth_mb: int, storage_gb_hours: int = 0, **accounts: Any
) -> Instruction:
    state = read(world, meter)
    reporter = world.listing(state.listing).operator if world.exists(state.listing) else state.authority
    given: dict[str, Any] = {
        "meter": meter,
        "operator": reporter,
        "rental": state.rental,
        "listing": state.listing,
        **accounts,
    }
    return instructions.report_usage(**given, bandwidth_mb=bandwidth_mb, storage_gb_hours=storage_gb_hours)


def dispute_usage(world: World, meter: Pubkey, **accounts: Any) -> Instruction:
    return instructions.dispute_usage(**{"meter": meter, "renter": read(world, meter).renter, **accounts})


def accept_usage(world: World, meter: Pubkey, **accounts: Any) -> Instruction:
    return instructions.accept_usage(**{"meter": meter, "renter": read(world, meter).renter, **accounts})


def resolve_dispute(meter: Pubkey) -> Instruction:
    return instructions.resolve_dispute(meter=meter)


def settle_meter(world: World, meter: Pubkey, **accounts: Any) -> Instruction:
    state = read(world, meter)
    vault = find_vault(state.mint, state.shard)[0]
    given: dict[str, Any] = {
        "meter": meter,
        "vault": vault,
        "vault_token": token_address(vault, state.mint),
        "host_payout": payout_address(state.authority, state.mint),
        **accounts,
    }
    return instructions.settle_meter(**given, payout_bump=payout_bump(state.authority, state.mint))


def close_meter(world: World, meter: Pubkey, **accounts: Any) -> Instruction:
    state = read(world, meter)
    vault = find_vault(state.mint, state.shard)[0]
    given: dict[str, Any] = {
        "caller": KEEPER,
        "meter": meter,
        "renter": state.renter,
        "vault": vault,
        "vault_token": token_address(vault, state.mint),
        "renter_payout": payout_address(state.renter, state.mint),
        "host_payout": payout_address(state.authority, state.mint),
        **accounts,
    }
    return instructions.close_meter(**given)


def read(world: World, meter: Pubkey) -> Meter:
    return world.read(Meter, meter)


def metered(world: World, renter: Pubkey = RENTER, listing: Pubkey = LISTING, **order: Any) -> Pubkey:
    """The meter of a running rental, just opened."""
    world.act(set_charges(listing))
    rental = running(world, renter, listing=listing, **order)
    world.act(open_meter(world, rental))
    return find_meter(rental)[0]


def reported(world: World, meter: Pubkey, extra_mb: int = 1_000) -> Pubkey:
    """The meter, `extra_mb` above its allowance being open to dispute."""
    world.act(report_usage(world, meter, FREE_MB + extra_mb))
    return meter


def disputed(world: World, meter: Pubkey) -> Pubkey:
    """The meter with a disputed amount."""
    world.act(dispute_usage(world, reported(world, meter)))
    return meter


def ended(world: World, meter: Pubkey) -> Pubkey:
    """The meter after the end of its rental."""
    world.act(world.stop_rental(read(world, meter).rental))
    return meter
