"""The comparison of runtimes: what recorded sequences leave on today's, and how differences are told."""

from __future__ import annotations

import sys
from copy import deepcopy
from pathlib import Path

import pytest

from anchor_client.generated import errors

from .guided import runtimes
from .guided.recorder import Recorder, Sequence
from .guided.runtimes import Left
from .harness.cluster import START
from .harness.flows import opened
from .harness.world import World
from .machine import base


@pytest.fixture
def sequence() -> Sequence:
    """An order, a stop that is refused, and the stop."""
    accounts, audit = base.seeded_market()
    recorder = Recorder(accounts, START)
    world = World(recorder, audit.copy())
    rental = opened(world)
    with pytest.raises(errors.WrongRenter):
        world.act(world.stop_rental(rental, renter=world.listing().authority))
    world.wait(60)
    world.act(world.stop_rental(rental))
    return recorder.sequence(bare=False)


def test_left__recorded_acts__are_their_outcomes_and_accounts(sequence: Sequence) -> None:
    left = runtimes.left(sequence)
    assert [outcome for outcome, _ in left] == ["ok", str(errors.WrongRenter.code), "ok", "end"]
    assert left == runtimes.left(sequence)


def test_left__another_amount__is_something_else(sequence: Sequence) -> None:
    other = deepcopy(sequence)
    other["steps"].insert(0, {"give": [0, 1]})
    assert runtimes.left(other)[-1] != runtimes.left(sequence)[-1]


@pytest.mark.parametrize("change", [("refused", None), (None, "0")])
def test_faults__runtime_that_differs__is_named_with_its_first_transaction(
    sequence: Sequence, change: tuple[str | None, str | None]
) -> None:
    now = runtimes.left(sequence)
    there: Left = deepcopy(now)
    for at in (2, 3):
        there[at] = [new or old for new, old in zip(change, now[at], strict=True)]
    (fault,) = runtimes.faults(sequence, now, {"today": now, "mapped": there})
    assert fault.startswith("mapped, transaction 2 ")


def test_main__fuzzer_has_kept_nothing__is_told_before_anything_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A comparison of two sources where the page promises three would pass."""
    monkeypatch.setattr(sys, "argv", ["runtimes", "--corpus", str(tmp_path)])
    with pytest.raises(SystemExit, match="2"):
        runtimes.main()
    assert "make fuzz-guided" in capsys.readouterr().err
