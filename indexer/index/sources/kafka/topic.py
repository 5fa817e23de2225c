"""The topic of a program: made if it is missing, written in order, and read back for a source's last mark."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import structlog
from confluent_kafka import Consumer, KafkaError, KafkaException, Message, Producer, TopicPartition
from confluent_kafka.admin import AdminClient
from confluent_kafka.cimpl import NewTopic

from indexer.errors import KafkaFailed, TopicUnusable
from indexer.index.sources.kafka import messages
from indexer.index.sources.kafka.messages import Mark

PARTITION: Final = 0
CALL_SECONDS: Final = 10.0
SEND_SECONDS: Final = 60.0
"""Longest that a message waits for its brokers before it counts as lost, and is sent again with all since the mark."""
TAIL: Final = 1_000
"""Messages that are read for a source's last mark at first; ten times as many each time that it is not there."""
NEW_TOPIC: Final = {"retention.ms": "-1", "compression.type": "producer"}
"""Everything is kept unless the operator says otherwise: the history of a program is small."""

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Topic:
    """A topic's name, and the client's options to reach its brokers."""

    name: str
    options: Mapping[str, str] = field(repr=False)

    def configured(self, own: Mapping[str, Any]) -> dict[str, Any]:
        """The client's configuration; the operator's options come last."""
        return {"error_cb": _tell, "log_level": 2, **own, **self.options}

    @property
    def partition(self) -> TopicPartition:
        """The only one."""
        return TopicPartition(self.name, PARTITION)


def make(topic: Topic) -> None:
    """Creates the topic, replicated as the brokers do by default, unless it is there. KafkaFailed, TopicUnusable."""
    with refusals():
        admin = AdminClient(topic.configured({}))
        made = admin.create_topics(
            [NewTopic(topic.name, num_partitions=1, replication_factor=-1, config=NEW_TOPIC)],
            request_timeout=CALL_SECONDS,
        )
        try:
            made[topic.name].result()
        except KafkaException as error:
            if error.args[0].code() != KafkaError.TOPIC_ALREADY_EXISTS:
                raise
        known = admin.list_topics(topic.name, timeout=CALL_SECONDS).topics[topic.name]
        require_one_partition(topic, len(known.partitions))


def require_one_partition(topic: Topic, count: int) -> None:
    """An order needs one partition. TopicUnusable."""
    if count != 1:
        raise TopicUnusable(f"the topic {topic.name} has {count} partitions")


class Writer:
    """Writes to a topic: a message that was sent before another stands before it, whatever brokers do."""

    def __init__(self, topic: Topic) -> None:
        self._topic = topic
        own = {"enable.idempotence": True, "acks": "all", "compression.type": "lz4", "linger.ms": 5}
        with refusals():
            self._producer = Producer(topic.configured({**own, "message.timeout.ms": int(SEND_SECONDS * 1_000)}))

    def send(self, values: Sequence[tuple[str, bytes]]) -> list[int]:
        """Sends keys and values; their offsets, once all replicas that are in sync have them. KafkaFailed."""
        offsets: list[int] = []
        lost: list[KafkaError] = []

        def delivered(error: KafkaError | None, message: Message) -> None:
            if error is not None:
                lost.append(error)
            else:
                offsets.append(int(message.offset() or 0))

        with refusals():
            for key, value in values:
                self._produce(key, value, delivered)
            self._producer.flush(SEND_SECONDS + CALL_SECONDS)
        if len(offsets) != len(values):
            raise KafkaFailed(f"the brokers have not taken what was sent: {lost[0].str() if lost else 'no answer'}")
        return offsets

    def _produce(self, key: str, value: bytes, delivered: Any) -> None:
        while True:
            try:
                self._producer.produce(
                    self._topic.name, value, key.encode(), partition=PARTITION, on_delivery=delivered
                )
            except BufferError:
                self._producer.poll(1.0)
            else:
                self._producer.poll(0)
                return


def last_mark(topic: Topic, source: str) -> Mark | None:
    """The last mark of a source that says where it continues; None if there is none. KafkaFailed, UnreadableMessage."""
    with refusals():
        consumer = Consumer(
            topic.configured({"group.id": f"{topic.name}-sources", "enable.auto.commit": False, "check.crcs": True})
        )
        try:
            first, end = consumer.get_watermark_offsets(topic.partition, timeout=CALL_SECONDS)
            back = TAIL
            while end > first:
                start = max(first, end - back)
                found = [
                    message
                    for message in _between(consumer, topic, start, end)
                    if isinstance(message, Mark) and message.source == source and message.resume is not None
                ]
                if found:
                    return found[-1]
                end = start
                back *= 10
        finally:
            consumer.close()
    return None


def _between(consumer: Consumer, topic: Topic, start: int, end: int) -> Iterator[messages.Message]:
    consumer.assign([TopicPartition(topic.name, PARTITION, start)])
    position = start
    while position < end:
        read = consumer.consume(TAIL, CALL_SECONDS)
        if not read:
            raise KafkaFailed(f"the brokers have not sent offset {position} within {CALL_SECONDS:g} s")
        for offset, value in values_of(read):
            position = offset + 1
            if offset < end:
                yield messages.decode(value, offset)


def values_of(read: Iterable[Message]) -> Iterator[tuple[int, bytes | None]]:
    """Offsets and values. KafkaFailed, TopicUnusable."""
    for message in read:
        error = message.error()
        if error is not None:
            if error.code() == KafkaError.UNKNOWN_TOPIC_OR_PART:
                raise TopicUnusable(f"the topic {message.topic()} does not exist")
            raise KafkaFailed(error.str())
        value = message.value()
        yield int(message.offset() or 0), value.encode() if isinstance(value, str) else value


@contextmanager
def refusals() -> Iterator[None]:
    """Names what the client raises. KafkaFailed."""
    try:
        yield
    except KafkaException as error:
        raise KafkaFailed(str(error.args[0].str() if error.args else error)) from error


def options_of(servers: str, more: Mapping[str, str]) -> dict[str, str]:
    """The client's options."""
    return {"bootstrap.servers": servers, **{name: _text(value) for name, value in more.items()}}


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _tell(error: KafkaError) -> None:
    log.warning("a broker is unavailable", error=error.str())
