"""Times that an order has on a machine."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest

from host_agent.images.rules import ImageRules
from host_agent.tenancy import seconds_to_arrive


@pytest.mark.parametrize(
    ("now", "timeout", "seconds"),
    [(1_000, 900, 840), (1_500, 900, 340), (1_860, 900, 20), (1_900, 900, None), (2_000, 900, None), (1_000, 60, 30)],
)
def test_seconds_to_arrive__of_an_order__end_before_it_counts_against_the_host(
    now: int, timeout: int, seconds: float | None
) -> None:
    rental = cast(Any, SimpleNamespace(created_at=1_000, provision_timeout=timeout))
    assert seconds_to_arrive(rental, now) == seconds


def test_rules__within_a_time__keep_the_shorter() -> None:
    rules = ImageRules(max_bytes=7, timeout_seconds=600)
    assert rules.within(None) == rules.within(840) == rules
    assert rules.within(20) == ImageRules(max_bytes=7, timeout_seconds=20)
