"""The worlds that tests start from."""

from __future__ import annotations

import pytest

from .harness.market import bare_world, seeded_world
from .harness.world import World


@pytest.fixture
def world() -> World:
    """A seeded market of the test's own."""
    return seeded_world()


@pytest.fixture
def empty() -> World:
    """Wallets and mints before the market opens."""
    return bare_world()
