"""The pace of slots, by the chain's clock."""

from __future__ import annotations

import pytest

from anchor_client.solana.slots import APART, LATELY, USUAL_SLOT_SECONDS, SlotPace


@pytest.mark.parametrize("slots_a_second", [1, 2, 5, 10])
def test_pace__two_looks_far_enough_apart__is_the_chains(slots_a_second: int) -> None:
    pace = SlotPace()
    for passed in range(APART):
        pace.saw(1_000 + passed * slots_a_second, 5_000 + passed)
        assert pace.seconds == USUAL_SLOT_SECONDS
    pace.saw(1_000 + APART * slots_a_second, 5_000 + APART)
    assert pace.seconds == 1 / slots_a_second


def test_pace__changed_since__is_that_of_the_last_minutes() -> None:
    pace = SlotPace()
    for passed in range(LATELY + 1):
        pace.saw(1_000 + 2 * passed, 5_000 + passed)
    slot, at = 1_000 + 2 * LATELY, 5_000 + LATELY
    pace.saw(slot + 50, at + APART)
    assert pace.seconds == APART / 50


def test_pace__chain_that_went_back__begins_anew() -> None:
    pace = SlotPace()
    pace.saw(1_000, 5_000)
    pace.saw(900, 5_100)
    pace.saw(920, 5_100 + APART)
    assert pace.seconds == APART / 20
