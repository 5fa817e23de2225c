"""Projects a topic into SQL. Of all projectors of a topic one is active; the others stand by and answer requests."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Final, TypeVar

import structlog
from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError

from anchor_client.service.pacing import Attempts
from anchor_client.service.supervision import Turns
from anchor_client.solana.json_rpc import JsonRpc
from indexer.errors import Superseded
from indexer.index.failures import report_failure
from indexer.index.follow import LOOKS, Follower
from indexer.index.sources.kafka import messages
from indexer.index.sources.kafka.merge import Merger
from indexer.index.sources.kafka.settings import topic_of
from indexer.index.sources.kafka.source import KafkaSource
from indexer.metrics import PROJECTOR_ACTIVE
from indexer.settings import IndexerSettings
from indexer.status import Status
from indexer.store.fence import Fence, Term, take_over
from indexer.store.progress import progress_of
from indexer.store.threads import in_thread

if TYPE_CHECKING:
    from indexer.index.sources.kafka.group import Member, Read

HEAR_SECONDS: Final = 1.0
"""Between two looks at what the active projector reports."""

T = TypeVar("T")

log = structlog.get_logger(__name__)


class Projector:
    """Stands by until the brokers give it the partition, then follows the chain by it until they take that away.

    `turns` hears of each step, `trouble` of why a look at the chain fails.
    """

    def __init__(
        self,
        settings: IndexerSettings,
        engine: Engine,
        rpc: JsonRpc,
        status: Status,
        *,
        turns: Turns | None = None,
        trouble: Callable[[str], object] = lambda reason: None,
    ) -> None:
        self._settings = settings
        self._engine = engine
        self._rpc = rpc
        self._status = status
        self._turns = turns or Turns()
        self._trouble = trouble
        self._topic = topic_of(settings)
        self._follower: Follower | None = None
        self._attempts = Attempts(self._failed, LOOKS)

    async def run(self) -> None:
        """Runs until cancelled. Raises Superseded."""
        while True:
            await self._attempts.until_done(self._take_part)

    def wake(self) -> None:
        """Has the chain looked at now, if this projector is the active one."""
        if self._follower is not None:
            self._follower.wake()

    @property
    def waiting(self) -> int:
        """News of the program that no look has answered yet."""
        return 0 if self._follower is None else self._follower.waiting

    async def _take_part(self) -> None:
        """From joining the group to the end of a term."""
        from indexer.index.sources.kafka.group import Member  # noqa: PLC0415 - an optional dependency

        term = _Term(self._settings.program_id, self._engine)
        # The client must not be called by two threads, and one that was cancelled still runs for a moment.
        with ThreadPoolExecutor(1, "kafka") as thread:
            member = await _in(thread, lambda: Member(self._topic, self._topic.name, term.begin))
            try:
                first = await self._stand_by(thread, member)
                self._attempts.succeeded()
                await self._be_active(thread, member, term, first)
            finally:
                await _in(thread, member.close)

    async def _stand_by(self, thread: ThreadPoolExecutor, member: Member) -> Read:
        """The first messages of the term: what gives the partition may bring some."""
        heard_at = 0.0
        read: Read = []
        while not member.is_assigned:
            with self._turns:
                read = await _in(thread, member.read)
                if time.monotonic() - heard_at >= HEAR_SECONDS:
                    heard_at = time.monotonic()
                    with suppress(DBAPIError):
                        await in_thread(self._hear)
        return read

    def _hear(self) -> None:
        with self._engine.connect() as connection:
            told = progress_of(connection, self._settings.program_id)
        if told is not None:
            self._status.hear(*told)

    async def _be_active(self, thread: ThreadPoolExecutor, member: Member, term: _Term, first: Read) -> None:
        over = asyncio.Event()
        loop = asyncio.get_running_loop()
        began = term.began
        fence = Fence(self._settings.program_id, began, lambda: loop.call_soon_threadsafe(over.set))
        merger = Merger(began.next_slot, agree=self._settings.kafka_agree, trusted_offset=term.trusted_offset)
        source = KafkaSource(merger, fence, heard=self._status.heard_slot)
        self._follower = Follower(
            self._settings,
            fence.guard(self._engine),
            self._rpc,
            self._status,
            source=source,
            turns=self._turns,
            trouble=self._trouble,
        )
        log.info("this projector is active", epoch=began.epoch, slot=began.next_slot, offset=term.offset)
        PROJECTOR_ACTIVE.set(1)
        following = asyncio.create_task(self._follower.run(), name="projector-follow")
        ending = asyncio.create_task(over.wait(), name="projector-fence")
        reading = asyncio.create_task(_read(thread, member, source, first), name="projector-read")
        try:
            done, _ = await asyncio.wait([following, ending, reading], return_when=asyncio.FIRST_COMPLETED)
        finally:
            PROJECTOR_ACTIVE.set(0)
            self._follower = None
            following.cancel(), ending.cancel(), reading.cancel()
            await asyncio.gather(following, ending, reading, return_exceptions=True)
        for task in done:
            task.result()
        log.warning("this projector stands by: the topic was given to another")

    def _failed(self, error: Exception, seconds: float) -> None:
        self._status.failed(error)
        self._trouble(str(error) or repr(error))
        if isinstance(error, Superseded):
            raise error
        report_failure("reading the topic failed", error, seconds)


class _Term:
    """The term that begins with the partition."""

    def __init__(self, program: str, engine: Engine) -> None:
        self._program = program
        self._engine = engine
        self.began = Term(0, 0, 0)
        self.offset = self.trusted_offset = 0

    def begin(self, first: int, end: int) -> int:
        """Takes over the database; gives the offset to begin at, with all offsets that the topic has."""
        self.began = take_over(self._engine, self._program)
        wanted = self.began.next_offset
        self.offset = wanted if first <= wanted <= end else first
        # What stood before may be lost, and with it transactions that a mark speaks of.
        self.trusted_offset = 0 if self.offset == wanted else self.offset
        return self.offset


async def _read(thread: ThreadPoolExecutor, member: Member, source: KafkaSource, read: Read) -> None:
    """Hands over what comes until the partition is taken away."""
    while member.is_assigned:
        for offset, value in read:
            source.hear(offset, messages.decode(value, offset))
        back = source.due()
        if back is not None and member.is_assigned:
            await _in(thread, partial(member.go_back, back))
        await _in(thread, lambda: member.pause(source.is_full))
        read = await _in(thread, member.read)


async def _in(thread: ThreadPoolExecutor, work: Callable[[], T]) -> T:
    return await asyncio.get_running_loop().run_in_executor(thread, work)
