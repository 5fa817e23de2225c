"""Work shared by keepers that do not know each other. Invariant KPR-3."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import pytest
from solders.pubkey import Pubkey

from keeper import share as sharing
from keeper.settings import KeeperSettings
from keeper.share import STEPS, WorkShare
from keeper.tasks.task import DueTask, Subject, Task
from tests.docs.pages import ROOT
from tests.keeper.share_simulation import Simulation, at_once, over_an_hour, row
from tests.keeper.test_service import serving, until
from tests.markets.parties import DURATION, SettingsOf, World

WINDOW = KeeperSettings.turn_seconds
DUE = 1_000_003
TASK: Task[Subject] = Task("end", lambda _: DUE, lambda *_: [])
LONG = 240.0
"""A window in which the turns of two keepers are far apart, in the cluster's seconds."""


def due(due_at: int = DUE) -> DueTask[Any]:
    return DueTask(TASK, Subject(Pubkey.new_unique()), due_at)


def test_turn_at__any_keeper__is_within_a_window_and_a_step() -> None:
    for number in range(1_000):
        share = WorkShare(WINDOW, number.to_bytes(2))
        assert DUE + number <= share.turn_at(DUE + number) <= DUE + number + WINDOW + share.step


def test_turn_at__due_in_one_step__is_the_same_turn() -> None:
    share = WorkShare(WINDOW, b"keeper")
    step = int(share.step)
    start = DUE // step * step
    assert len({share.turn_at(start + second) for second in range(1, step + 1)}) == 1
    assert len({share.turn_at(start + second) for second in range(1, 100 * step + 1)}) == 100


def test_turn_at__hundred_keepers__take_turns() -> None:
    keepers = [WorkShare(WINDOW, bytes([number])) for number in range(100)]
    step = WINDOW / STEPS
    firsts = {min(range(100), key=lambda each: keepers[each].turn_at(int(DUE + turn * step))) for turn in range(400)}
    assert len(firsts) > 80


def test_turn_at__no_window__is_at_once() -> None:
    assert WorkShare(0).turn_at(DUE) == DUE


def test_new_identity__same_wallet__differs() -> None:
    assert WorkShare(WINDOW).turn_at(DUE) != WorkShare(WINDOW).turn_at(DUE)


def test_take__before_and_at_its_turn() -> None:
    share = WorkShare(WINDOW, b"keeper")
    entry = due()
    turn = share.turn_at(DUE)
    assert share.take([entry], int(turn)) == [] and share.next_at == turn
    assert share.take([entry], int(turn) + 1) == [entry] and share.next_at is None


def test_take__match_found_at_every_look__counts_from_the_first() -> None:
    share = WorkShare(WINDOW, b"keeper")
    subject = Subject(Pubkey.new_unique())
    looks = range(DUE, DUE + int(WINDOW + share.step) + 1)
    assert next(now for now in looks if share.take([DueTask(TASK, subject, now)], now)) - 1 < share.turn_at(DUE)


def test_order__two_keepers__differ() -> None:
    keys = [bytes([group]) for group in range(256)]
    one, other = (sorted(keys, key=WorkShare(WINDOW, name).order) for name in (b"one", b"other"))
    assert one != other


@pytest.mark.parametrize("keepers", [4, 16])
def test_simulation__turns__lose_less_than_half_of_a_race(keepers: int) -> None:
    for falls_due, deaths in ((at_once(3_000), 0), (over_an_hour(2_000, 100), keepers // 2)):
        race = Simulation(falls_due, keepers, None, deaths).run()
        turns = Simulation(falls_due, keepers, WINDOW, deaths).run()
        assert turns.failed < race.failed / 2 and turns.lamports < race.lamports
        assert turns.late < race.late + WINDOW and turns.seconds < race.seconds + 2 * WINDOW


@pytest.mark.exhaustive
def test_simulation__table_of_the_page__is_what_it_gives() -> None:
    page = (ROOT / "docs" / "keep.md").read_text().splitlines()
    assert row("at once", 4, 3) in page and row("at once", 16, 12) in page


@pytest.fixture
def named(monkeypatch: pytest.MonkeyPatch) -> Callable[[Iterable[int]], float]:
    """Names the next two keepers by the times at which work falls due: the first has all its turns before the other has
    any. Gives the last turn of the first. Names fixed beforehand would be a second apart at some times.
    """

    def choose(due_at: Iterable[int]) -> float:
        names = [str(number).encode() for number in range(200)]
        turns = {name: [WorkShare(LONG, name).turn_at(each) for each in due_at] for name in names}
        first = min(names, key=lambda name: max(turns[name]))
        other = max(names, key=lambda name: min(turns[name]))
        given = iter([first, other])
        monkeypatch.setattr(sharing, "new_identity", lambda: next(given))
        assert max(turns[first]) + 60 < min(turns[other])
        return max(turns[first])

    return choose


async def test_run_service__two_keepers__the_first_in_turn_ends_all_and_the_other_sends_nothing(
    world: World, settings: SettingsOf, named: Callable[[Iterable[int]], float]
) -> None:
    parties = world.running(4)
    world.local.cluster.pause()
    moment = named(await ends(world))
    async with serving(sharing_settings(settings)) as first, serving(sharing_settings(settings)) as other:
        world.stop_clock_at(int(moment) + 1)
        for party in parties:
            await world.until_ended(party.rentals[0])
        await until(lambda: first.value("ended_total", task="finalize_rental") == 4)
    assert other.summary is not None and (other.summary.transactions, other.summary.ended) == (0, [])


async def test_run_service__first_in_turn_is_dead__the_other_ends_all_within_the_window(
    world: World, settings: SettingsOf, named: Callable[[Iterable[int]], float]
) -> None:
    parties = world.running(4)
    world.local.cluster.pause()
    due_at = await ends(world)
    named(due_at)
    async with serving(sharing_settings(settings)) as dead, serving(sharing_settings(settings)) as living:
        dead.stop.set()
        world.stop_clock_at(int(max(due_at) + LONG + LONG / STEPS) + 1)
        for party in parties:
            await world.until_ended(party.rentals[0])
        await until(lambda: living.value("ended_total", task="finalize_rental") == 4)


async def test_run_service__work_of_anothers_turn__is_shown(world: World, settings: SettingsOf) -> None:
    world.running(1)
    world.local.cluster.pause()
    world.warp(DURATION + 1)
    async with serving(sharing_settings(settings, turn_seconds=10**6)) as service:
        assert service.value("waiting_turn") == service.value("due") == 1


def sharing_settings(settings: SettingsOf, **given: Any) -> KeeperSettings:
    """A service that looks often, with a wide window."""
    return settings(**({"turn_seconds": LONG, "max_interval_seconds": 0.2, "idle_interval_seconds": 0.2} | given))


async def ends(world: World) -> list[int]:
    """Times at which the rentals are over."""
    return [rental.started_at + rental.duration for rental in (await world.rentals()).values()]
