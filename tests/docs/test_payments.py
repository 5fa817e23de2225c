"""The table of docs/payments.md: what every end of a rental pays each side and counts, as the program does it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import pytest
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import events
from anchor_client.generated.constants import USD
from anchor_client.generated.types.close_reason import CloseReason
from tests.docs.pages import ROOT
from tests.program.harness.actors import KEEPER, STRANGER, USDC
from tests.program.harness.flows import accepted, opened, running
from tests.program.harness.market import seeded_world
from tests.program.harness.spot import (
    BEST,
    GRACE,
    challenged,
    held,
    outbid,
    preempt,
    register_stranger,
    take_over,
    withdraw_challenger,
)
from tests.program.harness.terms import DAY, HOUR
from tests.program.harness.world import World

PAGE: Final = (ROOT / "docs" / "payments.md").read_text()
LATE: Final = 901
"""Seconds after an order, or the end of a grace, when its host's time to start is over."""
TABLE: Final = [line for line in PAGE.splitlines() if line.count("|") == 9 and "$" in line]


@dataclass(frozen=True, slots=True)
class End:
    """A way for a rental of two hours to end: the rental brought to it, and the acts that end it, by whom."""

    name: str
    bring: Callable[[World], Pubkey]
    acts: tuple[Callable[[World, Pubkey], Instruction], ...]
    by: str
    waits: int = 0
    """Seconds between two acts."""


def _half_an_hour(world: World) -> Pubkey:
    rental = running(world, mint=USDC, may_finish=True, duration=2 * HOUR)
    world.run(HOUR // 2)
    return rental


def _whole(world: World) -> Pubkey:
    rental = running(world, mint=USDC, duration=2 * HOUR)
    world.run(2 * HOUR)
    return rental


def _silent(world: World) -> Pubkey:
    rental = _half_an_hour(world)
    world.fall_silent()
    return rental


def _preparing(world: World) -> Pubkey:
    rental = accepted(world, mint=USDC, duration=2 * HOUR)
    world.wait(60)
    return rental


def _ordered(world: World) -> Pubkey:
    return opened(world, mint=USDC, duration=2 * HOUR)


def _never_started(world: World) -> Pubkey:
    rental = _ordered(world)
    world.wait(LATE)
    return rental


def _displaced(world: World) -> Pubkey:
    rental = held(world, mint=USDC)
    world.run(HOUR // 2 - GRACE)
    challenged(world, mint=USDC)
    world.run(GRACE)
    return rental


def _dropped(world: World) -> Pubkey:
    """Half an hour of a spot holder, in front of an order that waits."""
    rental = held(world, mint=USDC, may_finish=True)
    world.run(HOUR // 2 - 1)
    challenged(world, mint=USDC)
    world.run(1)
    return rental


def _waiting(world: World) -> Pubkey:
    held(world)
    rental = challenged(world, mint=USDC)
    world.wait(1)
    return rental


def _taken_over(world: World) -> Pubkey:
    rental = _waiting(world)
    world.act(world.stop_rental(world.listing().current), take_over(world))
    return rental


def _displaced_unstarted(world: World) -> Pubkey:
    """An order that has taken the machine, in front of the next one that waits."""
    register_stranger(world)
    held(world)
    rental = challenged(world, mint=USDC)
    world.run(GRACE)
    world.act(preempt(world))
    challenged(world, STRANGER, mint=USDC, bid=BEST)
    world.run(GRACE)
    return rental


def _beaten(world: World) -> Pubkey:
    register_stranger(world)
    return _waiting(world)


def _forgotten(world: World) -> Pubkey:
    rental = _waiting(world)
    world.wait(GRACE + LATE)
    return rental


def _refuse(world: World, rental: Pubkey) -> Instruction:
    return world.cancel_rental(rental, CloseReason.ORDER_UNRUNNABLE)


ENDS: Final = (
    End("paid time over: `finalize_rental`", _whole, (World.finalize_rental,), "anyone"),
    End("stopped: `stop_rental`", _half_an_hour, (World.stop_rental,), "the renter"),
    End("withdrawn a minute after the acceptance: `stop_rental`", _preparing, (World.stop_rental,), "the renter"),
    End("refused: `cancel_rental`", _ordered, (_refuse,), "the host"),
    End("given up: `cancel_rental`", _half_an_hour, (World.cancel_rental,), "the host"),
    End("never started: `cancel_unstarted`", _never_started, (World.cancel_unstarted,), "anyone"),
    End("silent host: `report_offline`", _silent, (World.report_offline,), "anyone"),
    End("silent host: `stop_rental`", _silent, (World.stop_rental,), "the renter"),
    End(
        "finished, not contested: `finish_rental`, `release_holdback`",
        _half_an_hour,
        (World.finish_rental, World.release_holdback),
        "the host, then anyone",
        waits=DAY,
    ),
    End(
        "finished, contested: `finish_rental`, `contest_finish`",
        _half_an_hour,
        (World.finish_rental, World.contest_finish),
        "the host, then the renter",
    ),
    End("displaced (spot): `preempt`", _displaced, (lambda world, _: preempt(world),), "anyone"),
    End(
        "given up in front of an order (spot): `cancel_rental`, `take_over`",
        _dropped,
        (World.cancel_rental, lambda world, _: take_over(world)),
        "the host, then anyone",
    ),
    End(
        "finished in front of an order (spot), contested: `finish_rental`, `take_over`, `contest_finish`",
        _dropped,
        (World.finish_rental, lambda world, _: take_over(world), World.contest_finish),
        "the host, anyone, the renter",
    ),
    End("took over, stopped before its start (spot): `stop_rental`", _taken_over, (World.stop_rental,), "the renter"),
    End(
        "took over, displaced before its start (spot): `preempt`",
        _displaced_unstarted,
        (lambda world, _: preempt(world),),
        "anyone",
    ),
    End("waiting order, withdrawn: `withdraw_challenger`", _waiting, (withdraw_challenger,), "the renter"),
    End(
        "waiting order, forgotten: `withdraw_challenger`",
        _forgotten,
        (lambda world, rental: withdraw_challenger(world, rental, caller=KEEPER),),
        "anyone",
    ),
    End("waiting order, outbid: `outbid`", _beaten, (lambda world, _: outbid(world),), "another bidder"),
)


@dataclass(slots=True)
class Shares:
    """Base units of a rental's deposit that each side gets, and the wallet that gets its tip."""

    host: int = 0
    renter: int = 0
    holder: int = 0
    market: int = 0
    tip: str = "the renter"

    def enter(self, event: object, rental: Pubkey) -> None:
        """Adds what an event pays."""
        match event:
            case events.RentalClosed() if event.rental == rental:
                assert event.host_owed == event.renter_owed == event.compensation_kept == 0
                self.host += event.paid
                self.renter += event.refunded
                self.holder += event.compensation
                self.market += event.fees
                if event.tip_lamports and event.closed_by != event.renter:
                    self.tip = "the caller"
            case events.FinishContested():
                self.host -= event.amount
                self.market += event.amount
            case events.RentalTookOver():
                self.holder += event.compensation


def counts(world: World) -> dict[str, int]:
    """Counts of the host and its listing."""
    listing = world.listing()
    return {
        "completed": listing.completed,
        "failed": listing.failed,
        "refused": listing.refused,
        "a report": world.host().not_as_listed_usd,
    }


def row(end: End) -> str:
    """The end's row: dollars that each side gets, who gets the tip, and what is counted."""
    world = seeded_world()
    before = counts(world)
    rental = end.bring(world)
    shares = Shares()
    for index, act in enumerate(end.acts):
        world.wait(end.waits if index else 0)
        for event in world.act(act(world, rental)).events:
            shares.enter(event, rental)
    counted = [name for name, count in counts(world).items() if count > before[name]]
    amounts = (f"${amount / USD:,.3f}" for amount in (shares.host, shares.renter, shares.holder, shares.market))
    return f"| {' | '.join((end.name, end.by, *amounts, shares.tip, ', '.join(counted) or 'nothing'))} |"


@pytest.mark.parametrize("end", ENDS, ids=lambda end: end.name)
def test_payments__each_end__pays_and_counts_what_the_table_says(end: End) -> None:
    assert row(end) in TABLE


def test_payments__table__has_no_other_rows() -> None:
    assert [line.split(" | ")[0] for line in TABLE] == [f"| {end.name}" for end in ENDS]
