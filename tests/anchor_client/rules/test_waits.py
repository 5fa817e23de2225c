"""Median wait of a host's last rentals."""

from __future__ import annotations

import pytest

from anchor_client.rules.waits import RECENT, median_wait, with_wait


@pytest.mark.parametrize(("waits", "median"), [("", None), ("7", 7), ("3 9", 9), ("3 600 5", 5)])
def test_median_wait__waits__is_the_middle_one_or_none(waits: str, median: int | None) -> None:
    assert median_wait(waits) == median


def test_with_wait__more_than_are_kept__the_oldest_goes() -> None:
    waits = ""
    for seconds in range(RECENT + 3):
        waits = with_wait(waits, seconds)
    assert waits.split() == [str(seconds) for seconds in range(3, RECENT + 3)]
