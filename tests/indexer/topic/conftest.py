"""Brokers for the tests of a topic."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.indexer.topic.brokers import Brokers, brokers


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brokers]:
    """One broker."""
    with brokers(tmp_path_factory.mktemp("kafka")) as running:
        yield running
