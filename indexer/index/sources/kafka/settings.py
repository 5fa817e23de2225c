"""The topic that the settings name. Imports of Kafka's client begin here and nowhere else."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indexer.errors import KafkaMissing
from indexer.settings import IndexerSettings

if TYPE_CHECKING:
    from indexer.index.sources.kafka.topic import Topic


def topic_of(settings: IndexerSettings) -> Topic:
    """Raises KafkaMissing."""
    try:
        from indexer.index.sources.kafka.topic import Topic, options_of  # noqa: PLC0415 - an optional dependency
    except ModuleNotFoundError as error:
        raise KafkaMissing from error
    options = options_of(settings.kafka_servers or "", settings.kafka_options)
    return Topic(settings.kafka_topic or f"gpu-market.{settings.program_id}.transactions", options)
