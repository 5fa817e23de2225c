"""A leader's gain from setting the clock as far as Alpenglow allows: invariant SYS-3.

A block's time is later than its parent's, and later by at most twice the time of the slots since. A leader has four
slots in a row.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import constants, events
from anchor_client.rules.parameters import PARAMETERS, Unit

from .harness.flows import accepted, running
from .harness.outcome import expect
from .harness.terms import DAY, HOUR
from .harness.timed import RULES, TimedRule
from .harness.timed.places import DURATIONS, OF_RULES, WITHOUT_RULES
from .harness.timed.rule import UTC_DAY
from .harness.timed.sources import time_comparisons
from .harness.world import World

SLOT_MS = 400
LEADER_SLOTS = 4
FACTOR = 2
MOST_GAIN_MS = (FACTOR - 1) * LEADER_SLOTS * SLOT_MS
"""By so much a leader's last block is ahead of the time, or behind it."""
MOST_GAIN = -(-MOST_GAIN_MS // 1_000)
"""In whole seconds, as the program reads the clock."""
PAGE = Path(__file__).parents[2] / "docs" / "assurance.md"
BEGIN, END = "<!-- timed rules -->", "<!-- end of timed rules -->"
IN_SECONDS = {"QUEUE_WINDOW", "GUARDIAN_PAUSE", "GUARDIAN_PAUSE_GAP", "EXECUTION_WINDOW", "REPORT_WINDOW"}
IN_SECONDS |= {"GRACE_MEMORY", "LEAST_GRACE", "MAX_DURATION", "MAX_REQUEST_SECONDS"}
NOT_IN_SECONDS = {"FIRST_NONCE_SLOTS", "SECONDS_PER_HOUR"}


def latest_ms(parent_ms: int, slots: int = LEADER_SLOTS) -> int:
    """The latest time that a block may have that many slots after its parent."""
    return parent_ms + FACTOR * slots * SLOT_MS


def earliest_ms(parent_ms: int) -> int:
    return parent_ms + 1


def set_clock(world: World, ms: int) -> None:
    world.cluster.now = ms // 1_000


@pytest.mark.parametrize("rule", RULES, ids=str)
def test_rule__leader_at_the_limits_of_the_clock__moves_it_by_the_bound(world: World, rule: TimedRule) -> None:
    act, at = rule.prepare(world)
    assert world.now <= at - 5
    parent_ms = at * 1_000 - FACTOR * LEADER_SLOTS * SLOT_MS
    true_ms = parent_ms + LEADER_SLOTS * SLOT_MS
    assert at * 1_000 - true_ms == MOST_GAIN_MS

    def is_open() -> bool:
        return (world.now >= at) != rule.ends

    for ms in (latest_ms(parent_ms), latest_ms(parent_ms - 1), earliest_ms(at * 1_000 - 2)):
        set_clock(world, ms)
        if is_open():
            world.cluster.rehearse(act())
        else:
            with expect(rule.error):
                world.cluster.rehearse(act())


def _charged(end: Callable[[World, Pubkey], Instruction]) -> Callable[[World, Pubkey], tuple[int, int]]:
    def seconds_and_pay(world: World, rental: Pubkey) -> tuple[int, int]:
        closed = world.cluster.rehearse(end(world, rental)).event(events.RentalClosed)
        return closed.charged, closed.paid

    return seconds_and_pay


def _settled(world: World, rental: Pubkey) -> tuple[int, int]:
    settled = world.cluster.rehearse(world.settle_rental(rental)).event(events.RentalSettled)
    return settled.settled, settled.paid


@pytest.mark.parametrize(
    ("bring", "pay"),
    [
        (accepted, _charged(World.stop_rental)),
        (accepted, _charged(World.cancel_rental)),
        (running, _charged(World.stop_rental)),
        (running, _charged(World.cancel_rental)),
        (running, _settled),
    ],
)
def test_money__leader_at_the_limits_of_the_clock__is_that_of_two_seconds(
    world: World, bring: Callable[..., Pubkey], pay: Callable[[World, Pubkey], tuple[int, int]]
) -> None:
    rental = bring(world, duration=DAY)
    world.run(HOUR if bring is running else 30)
    rate = world.rental(rental).rate + world.rental(rental).subsidy_rate
    honest = world.now
    seconds, paid = pay(world, rental)
    for gain in (-MOST_GAIN, MOST_GAIN):
        world.cluster.now = honest + gain
        other_seconds, other_paid = pay(world, rental)
        assert abs(other_seconds - seconds) <= MOST_GAIN
        assert abs(other_paid - paid) <= -(-MOST_GAIN * rate // HOUR) + 1


def test_rules__durations_of_the_program__are_each_in_one_or_have_a_reason() -> None:
    durations = {each.name for each in PARAMETERS if each.unit is Unit.SECONDS} | IN_SECONDS
    found = {name for rule in RULES for name in rule.names} - {"max_age", UTC_DAY}
    assert found | DURATIONS.keys() == durations and not found & DURATIONS.keys()


def test_rules__comparisons_of_the_program__are_each_of_one_or_have_a_reason() -> None:
    """A comparison with the clock that is new is in neither list."""
    assert time_comparisons() == OF_RULES.keys() | WITHOUT_RULES.keys()
    assert not OF_RULES.keys() & WITHOUT_RULES.keys()
    assert {name for names in OF_RULES.values() for name in names} == {rule.name for rule in RULES}


def test_constants__named_like_a_duration__are_known() -> None:
    words = ("SECONDS", "WINDOW", "GRACE", "PAUSE", "DURATION", "PERIOD", "TIMEOUT", "SLOTS")
    named = {name for name in dir(constants) if name.isupper() and any(word in name for word in words)}
    assert named == IN_SECONDS | NOT_IN_SECONDS


def table() -> str:
    rows = []
    for each in RULES:
        when = "ends" if each.ends else "begins"
        set_by = ", ".join(name if name == UTC_DAY else f"`{name}`" for name in each.names) or "the order"
        rows.append(f"| {each.name} | {when} | {set_by} | {each.gain} |")
    return "\n".join(["| rule | the act's time | set by | what a leader gains |", "|---|---|---|---|", *rows])


def test_table__in_docs__is_that_of_the_rules() -> None:
    """After a deliberate change: python -m tests.program.test_leader_clock."""
    assert PAGE.read_text().partition(BEGIN)[2].partition(END)[0].strip() == table()


if __name__ == "__main__":
    before, _, rest = PAGE.read_text().partition(BEGIN)
    PAGE.write_text(f"{before}{BEGIN}\n{table()}\n{END}{rest.partition(END)[2]}")
