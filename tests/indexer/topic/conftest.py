"""Brokers for the tests of a topic."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest

from tests.indexer.topic.brokers import Brokers, brokers


@pytest.fixture(scope="session")
def broker(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Brokers]:
    """One broker."""
    with brokers(tmp_path_factory.mktemp("kafka")) as running:
        yield running


@pytest.fixture
def topic(broker: Brokers) -> dict[str, Any]:
    """Settings of a topic of the test's own."""
    return {"kafka_servers": broker.servers, "kafka_topic": uuid4().hex, "poll_interval": 0.2}
