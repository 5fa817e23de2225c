"""Sends the clients of this process the index's new events, as soon as they are committed."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterator, Sequence, Set
from contextlib import asynccontextmanager

import structlog
from sqlalchemy import Connection
from sqlalchemy.exc import SQLAlchemyError
from starlette.types import ASGIApp

from indexer.api.feed import messages
from indexer.api.feed.followers import TopicFollowers
from indexer.api.feed.log import FeedEntry, Position, entries_after, newest
from indexer.api.feed.messages import TopicMessage
from indexer.api.feed.relations import Relations
from indexer.api.feed.replays import ReplayReader
from indexer.api.feed.states import States
from indexer.api.feed.subscriber import Subscriber
from indexer.api.feed.topics import JOB, NETWORK, named_by
from indexer.api.feed.turns import PageTurns
from indexer.changes.dispatch import ChangeDispatcher
from indexer.changes.words import EVERYTHING
from indexer.status import Status
from indexer.store.events import Decoded
from indexer.store.transactions import Reads, Replays

PAGE = 500
MOST_BEHIND = 50_000
"""Missed entries that a client may still get; one that has missed more starts over."""
TICK_SECONDS = 30.0
"""Interval for reading the states of followed jobs again, whose cost grows."""
RETRY_SECONDS = 1.0

log = structlog.get_logger(__name__)


class FeedHub:
    """One reader of the index for all clients of the process; it reads nothing while there is none."""

    def __init__(self, status: Status, changes: ChangeDispatcher, *, tick_seconds: float = TICK_SECONDS) -> None:
        self._status = status
        self._changes = changes
        self._tick_seconds = tick_seconds
        self._woken = asyncio.Event()
        self._clients = 0
        self._followers = TopicFollowers()
        """Clients that have got everything up to the position."""
        self._relations = Relations()
        self._turns = PageTurns()
        self._position: Position | None = None
        self._final_slot = status.final_slot
        self._is_stale = False
        self._is_ended = False
        changes.subscribe(self._note)

    def wake(self) -> None:
        """Something was committed."""
        self._woken.set()

    @asynccontextmanager
    async def telling(self, app: ASGIApp, reads: Reads, replays: Replays) -> AsyncIterator[None]:
        """Sends new events until the context is left, then ends every client's messages."""
        self._reads = reads
        self._replays = ReplayReader(replays, self._told)
        self._states = States(app)
        tasks = [asyncio.create_task(self._run()), asyncio.create_task(self._tick())]
        try:
            yield
        finally:
            self.end()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    def end(self) -> None:
        """No client gets more than what waits for it."""
        self._is_ended = True
        for subscriber in self._followers:
            subscriber.end()

    async def missed(self, after: Position | None) -> int:
        """Number of entries for a client that has those up to `after`."""
        if after is None:
            return 0
        now = await self._reads(newest)
        return 0 if _cannot_resume(after, now) else now.number - after.number

    async def follow(
        self, subscriber: Subscriber, after: Position | None, client: str = ""
    ) -> AsyncGenerator[bytes, None]:
        """The messages for a client's connection: what it has missed since `after`, then what comes, until its end."""
        self._clients += 1
        try:
            async for text in self._begin(subscriber, after, client):
                yield text
            async for text in self._states.of(subscriber.topics, await self._here()):
                yield text
            while (taken := await subscriber.take()) is not None:
                yield taken
        finally:
            self._followers.discard(subscriber)
            self._clients -= 1

    async def resubscribe(self, subscriber: Subscriber, topics: frozenset[str]) -> None:
        """Changes a client's topics, and sends the states of new ones."""
        new = topics - subscriber.topics
        self._followers.change(subscriber, topics)
        async for text in self._states.of(new, await self._here()):
            subscriber.offer(text)

    async def _here(self) -> Position:
        """Position up to which clients have got everything; the end of the log if nobody follows it."""
        if self._position is None:
            found = await self._reads(newest)
            self._position = self._position or found
        return self._position

    async def _begin(self, subscriber: Subscriber, after: Position | None, client: str) -> AsyncIterator[bytes]:
        """Greets a client, sends the events that it has missed, and then new ones."""
        await self._changes.dispatch()
        begin = await self._here()
        refused = None
        subscriber.at = begin.number
        if after is not None:
            refused = _cannot_resume(after, begin)
            if not refused:
                subscriber.at = after.number
        yield messages.hello(Position(begin.index_id, subscriber.at), subscriber.topics, self._status.final_slot)
        if refused:
            yield messages.reset(begin, refused)
        if subscriber.at < begin.number:
            async with contextlib.aclosing(self._missed(subscriber, begin.index_id, client)) as missed:
                async for text in missed:
                    yield text
        while subscriber.at < (await self._here()).number:
            for text in await self._next(subscriber, begin.index_id):
                yield text
        self._followers.add(subscriber)
        if self._is_ended:
            subscriber.end()

    async def _missed(self, subscriber: Subscriber, index: str, client: str) -> AsyncGenerator[bytes, None]:
        """Missed events, until the client has all; one connection of a client at a time, in turns with all others."""
        async with self._replays.turn(client):
            while subscriber.at < (await self._here()).number:
                async with self._turns.turn() as turn:
                    page = await self._next(subscriber, index)
                    turn.limit()
                    for text in page:
                        yield text

    async def _next(self, subscriber: Subscriber, index: str) -> list[bytes]:
        here = await self._here()
        found, subscriber.at = await self._replays.after(
            index, subscriber.at, here.number, subscriber.topics, self._status.final_slot
        )
        return [told.text for told in found]

    def _note(self, words: Set[str]) -> None:
        self._is_stale |= EVERYTHING in words

    async def _run(self) -> None:
        while True:
            await self._woken.wait()
            self._woken.clear()
            if not self._clients:
                self._position = None
                self._is_stale = False
                self._states.forget()
                continue
            try:
                await self._changes.dispatch()
                await self._tell()
            except SQLAlchemyError as failure:
                log.warning("the feed cannot read the index", error=str(failure))
                await asyncio.sleep(RETRY_SECONDS)
                self._woken.set()

    async def _tick(self) -> None:
        while True:
            await asyncio.sleep(self._tick_seconds)
            await self._tell_states({topic for topic in self._followers.topics if topic.startswith(f"{JOB}:")})

    async def _tell(self) -> None:
        changed: set[str] = set()
        here = await self._here()
        if not here.index_id:  # nothing had been taken in
            here = self._position = Position((await self._reads(newest)).index_id, here.number)
        while entries := await self._reads(entries_after, here.number, PAGE):
            page = await self._reads(self._told, here.index_id, entries)
            here = self._position = Position(here.index_id, entries[-1].number)
            for told in page:
                for subscriber in self._followers.of(told.topics):
                    if told.number > subscriber.at:
                        subscriber.offer(told.text)
            for subscriber in self._followers:
                subscriber.at = max(subscriber.at, here.number)
            changed = changed.union(*(told.topics for told in page))
        self._tell_final()
        followed = set(self._followers.topics)
        stale = self._is_stale
        self._is_stale = False
        if changed:
            changed |= {NETWORK}
        await self._tell_states(followed if stale else followed & changed)

    def _tell_final(self) -> None:
        slot = self._status.final_slot
        if slot != self._final_slot:
            self._final_slot = slot
            for subscriber in self._followers:
                subscriber.offer(messages.final(slot))

    async def _tell_states(self, topics: Set[str]) -> None:
        async for topic, text in self._states.changed(topics, await self._here()):
            for subscriber in self._followers.of((topic,)):
                subscriber.offer(text)

    def _told(self, connection: Connection, index: str, entries: Sequence[FeedEntry]) -> list[TopicMessage]:
        """The messages for entries."""
        told = []
        for entry in entries:
            outcome = entry.read()
            if isinstance(outcome, Decoded):
                named = self._relations.of(connection, named_by(outcome.event))
                told.append(messages.told(index, entry, outcome.event, named, self._status.final_slot))
            else:
                log.error("an event cannot be published", tx=entry.signature, error=str(outcome.error))
        return told


def _cannot_resume(after: Position, now: Position) -> str | None:
    """Why not, in words."""
    if after.index_id not in ("", now.index_id) or after.number > now.number:
        return "the cursor belongs to another index: reload your data"
    if now.number - after.number > MOST_BEHIND:
        return f"more than {MOST_BEHIND:,} later events exist: reload your data"
    return None
