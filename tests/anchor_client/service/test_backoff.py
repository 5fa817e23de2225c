"""Waits between attempts."""

from __future__ import annotations

from anchor_client.service.backoff import Backoff


def test_wait__failures_in_a_row__doubles_up_to_the_longest() -> None:
    backoff = Backoff(first=1, most=4)
    assert [backoff.wait(failures) for failures in (1, 2, 3, 4, 10**9)] == [1, 2, 4, 4, 4]


def test_spread__each_wait__is_off_by_a_quarter_at_most() -> None:
    spread = {Backoff(first=1, most=4).spread(2) for _ in range(100)}
    assert len(spread) > 1 and all(1.5 <= wait <= 2.5 for wait in spread)
