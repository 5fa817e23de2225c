"""A projector's place in the group of a topic, whose brokers give the partition to one member at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from confluent_kafka import Consumer, TopicPartition

from indexer.errors import KafkaFailed
from indexer.index.sources.kafka.topic import (
    CALL_SECONDS,
    PARTITION,
    Topic,
    refusals,
    require_one_partition,
    values_of,
)

MOST_READ: Final = 2_000
READ_SECONDS: Final = 0.2
CLASSIC: Final = {"group.protocol": "classic", "partition.assignment.strategy": "cooperative-sticky"}
"""For brokers that do not know the protocol of Kafka 4."""

Read: TypeAlias = list[tuple[int, bytes | None]]
"""Offsets and values."""
Assigned = Callable[[int, int], int]
"""Takes the offsets that the topic has, first and last but one; gives the one to begin at."""


class Member:
    """Reads the partition while it has it. One thread calls it, and is called back."""

    def __init__(self, topic: Topic, group: str, assigned: Assigned) -> None:
        self._topic = topic
        self._assigned = assigned
        self.is_assigned = False
        self._is_paused = False
        own: dict[str, Any] = {"group.id": group, "enable.auto.commit": False, "auto.offset.reset": "earliest"}
        is_classic = topic.options.get("group.protocol") == "classic"
        own |= CLASSIC if is_classic else {"group.protocol": "consumer"}
        with refusals():
            self._consumer = Consumer(topic.configured({**own, "isolation.level": "read_committed"}))
            self._consumer.subscribe([topic.name], on_assign=self._on_assign, on_revoke=self._end, on_lost=self._end)

    def read(self) -> Read:
        """Returns new messages, after a short wait if there are none. Raises what `assigned` does."""
        with refusals():
            return list(values_of(self._consumer.consume(MOST_READ, READ_SECONDS)))

    def pause(self, is_full: bool) -> None:
        """Reads nothing more while there is enough; stays in the group."""
        if is_full == self._is_paused or not self.is_assigned:
            return
        with refusals():
            (self._consumer.pause if is_full else self._consumer.resume)([self._topic.partition])
        self._is_paused = is_full

    def go_back(self, offset: int) -> None:
        """Reads on from an earlier offset. KafkaFailed if the topic no longer has it."""
        with refusals():
            first, _ = self._consumer.get_watermark_offsets(self._topic.partition, timeout=CALL_SECONDS)
            if offset < first:
                raise KafkaFailed(f"the topic has nothing before offset {first}, and {offset} is needed again")
            self._consumer.seek(TopicPartition(self._topic.name, PARTITION, offset))

    def close(self) -> None:
        """Leaves the group, so that another need not wait."""
        with refusals():
            self._consumer.close()

    def _on_assign(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        if not partitions:
            return
        known = consumer.list_topics(self._topic.name, timeout=CALL_SECONDS).topics[self._topic.name]
        require_one_partition(self._topic, len(known.partitions))
        first, end = consumer.get_watermark_offsets(self._topic.partition, timeout=CALL_SECONDS)
        start = self._assigned(first, end)
        consumer.incremental_assign([TopicPartition(self._topic.name, PARTITION, start)])
        self.is_assigned = True

    def _end(self, consumer: Consumer, partitions: list[TopicPartition]) -> None:
        self.is_assigned = False
