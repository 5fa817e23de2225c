"""What every test gets."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import structlog


@pytest.fixture(autouse=True)
def _own_logs() -> Iterator[None]:
    """A command that a test runs in its own process logs to a stream that is gone with the test."""
    yield
    structlog.reset_defaults()
