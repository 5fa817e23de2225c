"""Arrivals on a machine that keeps up with them, and on one that does not: it is measured, and gets all of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import pytest

from anchor_client.solana.slots import USUAL_SLOT_SECONDS
from benchmarks.load.arrivals import arrive, slots_of
from benchmarks.load.continuation import recorded
from indexer.index.ingest import ingest
from indexer.index.transaction import Transaction
from tests.indexer.databases import sqlite
from tests.indexer.tables import contents

A_SLOT = 5


@dataclass
class OwnClock:
    """A clock that waits for nobody."""

    now: float = 0.0
    slept: float = 0.0

    def read(self) -> float:
        """Seconds that have passed."""
        return self.now

    def sleep(self, seconds: float) -> None:
        """They pass at once."""
        self.now += seconds
        self.slept += seconds


@pytest.mark.parametrize(("slots_each", "is_behind"), [(0.5, False), (3, True)])
async def test_arrive__each_slot_takes_this_many_slots__tells_how_late_it_was_and_leaves_out_nothing(
    tmp_path: Path, slots_each: float, is_behind: bool
) -> None:
    transactions = list(chain.from_iterable(await recorded(parties=2, rounds=2)))
    slots = list(slots_of(transactions, A_SLOT / USUAL_SLOT_SECONDS))
    clock = OwnClock()
    with sqlite(tmp_path / "index.db") as engine, sqlite(tmp_path / "whole.db") as whole:

        def take(slot: Sequence[Transaction]) -> None:
            ingest(slot, engine)
            clock.now += slots_each * USUAL_SLOT_SECONDS

        late = arrive(slots, take, clock=clock.read, sleep=clock.sleep)
        ingest(transactions, whole)
        assert contents(engine) == contents(whole)
    behind = (len(slots) - 1) * (slots_each - 1) if is_behind else 0
    assert len(slots) > 2 and late == pytest.approx((behind + slots_each) * USUAL_SLOT_SECONDS)
    assert (clock.slept == 0) == is_behind
