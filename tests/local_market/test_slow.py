"""A start says what it waits for where it waits long, and nothing where it does not."""

from __future__ import annotations

import re
from queue import Queue

import pytest

from local_market.stack.slow import said_if_slow
from tests.processes.patience import PATIENCE

NEVER = 100_000.0


def test_slow_part__takes_longer_than_the_wait__is_named_and_then_timed() -> None:
    said = Queue[str]()
    with said_if_slow("Seeding the market", said.put, after=0):
        assert said.get(timeout=PATIENCE) == "Seeding the market …"
    assert re.fullmatch(r"Seeding the market took \d+\.\d s", said.get_nowait())


def test_slow_part__ends_before__is_not_named() -> None:
    said = Queue[str]()
    with said_if_slow("Seeding the market", said.put, after=NEVER):
        pass
    assert said.empty()


def test_slow_part__fails__is_not_timed() -> None:
    said = Queue[str]()
    with pytest.raises(ValueError, match="why"), said_if_slow("Seeding the market", said.put, after=0):
        said.get(timeout=PATIENCE)
        raise ValueError("why")
    assert said.empty()
