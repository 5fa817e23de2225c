"""The five ways in which a rental ends and its account goes, each with a rental that is ready for it, and its event."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import events
from anchor_client.generated.accounts import Rental
from anchor_client.generated.types.close_reason import CloseReason
from anchor_client.generated.types.rental_state import RentalState

from .actors import HOST, KEEPER, LISTING, RENTER
from .audit.reasons import FAULTS, tip_of
from .audit.reputation import is_completion
from .flows import opened, running
from .reference import SECONDS_PER_HOUR, Rates, charged_seconds, divide, paid_usd, payable
from .terms import DAY, HOUR
from .world import World


@dataclass(frozen=True, slots=True)
class Ending:
    """`prepare` gives a rental that `act` may end now, with money for the host, the renter or both."""

    name: str
    caller: Pubkey
    prepare: Callable[..., Pubkey]
    act: Callable[..., Instruction]

    def __str__(self) -> str:
        return self.name


def _half_used(world: World, **order: Any) -> Pubkey:
    rental = running(world, **order)
    world.run(HOUR // 2)
    return rental


def _agreed(world: World, **order: Any) -> Pubkey:
    rental = running(world, may_finish=True, **order)
    world.run(HOUR // 2)
    return rental


def _used_up(world: World, **order: Any) -> Pubkey:
    rental = running(world, **order)
    world.run(HOUR)
    return rental


def _gone_silent(world: World, **order: Any) -> Pubkey:
    rental = _half_used(world, **order)
    world.fall_silent()
    return rental


def _never_started(world: World, **order: Any) -> Pubkey:
    rental = opened(world, **order)
    world.run(901)
    return rental


ENDINGS = (
    Ending("stop_rental", RENTER, _half_used, World.stop_rental),
    Ending("cancel_rental", HOST, _half_used, World.cancel_rental),
    Ending("cancel_unstarted", KEEPER, _never_started, World.cancel_unstarted),
    Ending("finalize_rental", KEEPER, _used_up, World.finalize_rental),
    Ending("report_offline", KEEPER, _gone_silent, World.report_offline),
)
PAYING = tuple(ending for ending in ENDINGS if ending.name != "cancel_unstarted")
"""Endings that pay the host."""
REFUNDING = tuple(ending for ending in ENDINGS if ending.name != "finalize_rental")
"""Endings that refund the renter."""


FINISH = Ending("finish_rental", HOST, _agreed, World.finish_rental)
"""Ends a rental as well, but its account stays."""


def each(endings: tuple[Ending, ...]) -> pytest.MarkDecorator:
    """Runs a test with each of these endings."""
    return pytest.mark.parametrize("ending", endings, ids=str)


def _charged(world: World, state: Rental, reason: CloseReason, used: int) -> int:
    prepares = state.state == RentalState.PROVISIONING and world.now <= state.created_at + state.promise
    prepared = world.now - state.created_at - state.accepted_after if prepares else None
    runs = state.state == RentalState.RUNNING
    return charged_seconds(
        reason,
        used,
        runs=runs,
        least=0 if state.not_as_listed and not state.took_over else state.min_charge,
        prepared=prepared,
        duration=state.duration,
        discount_bps=state.discount_bps,
        is_kept=bool(state.took_over) and world.now <= state.created_at + state.provision_timeout,
    )


def _given_back(world: World, state: Rental, amount: int) -> dict[str, int]:
    """Fields of the host's budget, which has `amount` back if it is that of today."""
    if amount == 0 or state.subsidy_day != world.now // DAY:
        return {"host_booked": 0, "host_seq": 0}
    host = world.host(world.listing(state.listing).authority)
    return {"host_booked": host.subsidy_booked - amount, "host_seq": host.seq + 1}


def closed(
    world: World,
    rental: Pubkey,
    *,
    used: int,
    reason: CloseReason,
    caller: Pubkey,
    listing: Pubkey = LISTING,
    compensation: int = 0,
    exit_code: int = 0,
) -> events.RentalClosed:
    """Expected event of ending `rental` now."""
    state = world.rental(rental)
    rates = Rates(state.rate, state.subsidy_rate, state.burn_rate, state.fee_rate)
    charged = _charged(world, state, reason, used)
    held, window = state.holdback_bps, state.holdback_window
    held_back = 0
    if reason is CloseReason.FINISHED:
        held_back = rates.host * charged // SECONDS_PER_HOUR - payable(rates, charged, held, window)
    amounts = divide(
        rates,
        state.duration,
        charged,
        holdback_bps=held,
        window=window,
        host_at_fault=reason in FAULTS,
        spare=state.deposit - rates.deposit(state.duration),
        compensation=compensation,
    )
    return events.RentalClosed(
        rental=rental,
        renter=state.renter,
        listing=listing,
        mint=state.mint,
        reason=reason,
        state=RentalState(state.state),
        used=used,
        charged=charged,
        deposit=state.deposit,
        subsidy=rates.subsidy_of(state.duration),
        paid=amounts.paid,
        paid_now=amounts.paid - payable(rates, state.settled, held, window),
        fees=amounts.fees,
        burned=amounts.burned,
        refunded=amounts.refunded,
        subsidy_returned=amounts.subsidy_returned,
        closed_by=caller,
        tip_lamports=tip_of(reason, state.tip_lamports, owes_matcher=bool(state.is_matched)),
        at=world.now,
        seq=state.seq + 1,
        listing_seq=world.listing(listing).seq + 1,
        vault_seq=world.vault(state.mint, state.shard).seq + 1,
        host_owed=0,
        renter_owed=0,
        compensation=compensation,
        compensation_kept=0,
        completed=is_completion(reason, used, world.market().min_rated_seconds),
        held=held_back,
        contest_by=state.started_at + used + state.finish_window if reason is CloseReason.FINISHED else 0,
        exit_code=exit_code,
        paid_usd=paid_usd(rates, state.rate_usd, used),
        host=world.listing(listing).host,
        **_given_back(world, state, amounts.subsidy_returned),
    )
