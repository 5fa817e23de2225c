"""Answers that are kept as bytes until what they say has changed.

A kept answer is what a route has made of the index: the route declares what it reads (see `dependence`). What says
which machines are online holds until the next of them falls silent, what says what the vaults' pools may give until the
day ends, and what says how far a job is for that second.
An answer about many entities changes with almost every commit of a busy market, and is remade at most once a second.
"""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Set
from dataclasses import dataclass, field, replace
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias
from urllib.parse import parse_qsl, urlencode

from sqlalchemy import Connection, func, select
from sqlalchemy.exc import SQLAlchemyError
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from anchor_client.generated.accounts import Market
from anchor_client.rules.subsidy import day_end
from indexer.api.errors import ApiError
from indexer.api.http.compact import OK, Representation
from indexer.api.kept.dependence import AnswerDependence, KeptRoutes
from indexer.api.kept.making import HOLDS_UNTIL, MAKING, Making
from indexer.changes.dispatch import ChangeDispatcher
from indexer.changes.words import EVERYTHING, MANY
from indexer.models import Listing, Vault
from indexer.status import Status
from indexer.store import progress
from indexer.store.queries import ONLINE, heard_since
from indexer.store.transactions import Reads
from indexer.store.turns import SharedWork

MOST_BYTES = 64 * 1024 * 1024
"""Of all answers that are kept, each in gzip as well; the one made longest ago makes room."""
OVERHEAD = 3 * 1024
"""Bytes of an answer beside its body."""
LARGEST = 1024 * 1024
"""Bytes of an answer that is kept: a page of 200 listings with prices in five tokens."""
PACE_SECONDS = 1.0
"""Seconds that an answer about many jobs or machines is served before it is renewed, however often it has changed."""
NEVER = -1

LISTING = Listing.table.name
VAULT = Vault.table.name

Key: TypeAlias = tuple[str, bytes]
"""Path, and the query in its canonical form."""

ONLINE_LONGEST = select(func.min(Listing.c.last_heartbeat_at)).where(Listing.c.closed_at == 0, ONLINE)


@dataclass(slots=True)
class KeptAnswer:
    """An answer, and what it depends on."""

    depends: AnswerDependence
    route: Any
    answer: Representation
    market: Market | None
    until: int | None
    """Chain time up to which it holds; None for as long as nothing changes."""
    made_at: float
    """On the loop's clock."""
    making: Making | None
    """The way to renew it; None where its route must be called."""
    is_outdated: bool = False
    """True once something that it says has changed."""

    @property
    def weight(self) -> int:
        """Bytes that it counts for."""
        return 2 * len(self.answer.body) + OVERHEAD


class NextSilence(NamedTuple):
    """When the next machine falls silent, unless one is heard from; worked out at a moment of the chain's time."""

    until: int | None
    """None without a machine that could."""
    at: int
    market: Market | None

    def holds(self, chain: Status) -> bool:
        """True while it is still valid, if no listing has changed."""
        return self.market is chain.market and self.at <= chain.now() < (self.until or math.inf)


@dataclass(slots=True)
class KeptAnswers:
    """The answers by path and query, the ones asked for last at the end; and which of them say a word."""

    answers: OrderedDict[Key, KeptAnswer] = field(default_factory=OrderedDict)
    saying: dict[str, set[Key]] = field(default_factory=dict)
    changes: int = 0
    silence: NextSilence | None = None
    weight: int = 0
    """Of all answers together."""

    def drop(self, words: Set[str]) -> None:
        """Forgets what says any of these words."""
        if not words - {progress.WORD}:
            return
        self.changes += 1
        if words & {EVERYTHING, MANY, LISTING}:
            self.silence = None
        if words & {EVERYTHING, MANY}:
            self.answers.clear()
            self.saying.clear()
            self.weight = 0
            return
        for word in words:
            for key in self.saying.pop(word, ()):
                kept = self.answers.get(key)
                if kept is not None and kept.depends.is_of_many:
                    kept.is_outdated = True
                else:
                    self._forget(key)

    def keep(self, key: Key, kept: KeptAnswer) -> None:
        """Until something that it says changes."""
        self._forget(key)
        self.answers[key] = kept
        self.weight += kept.weight
        for word in kept.depends.words:
            self.saying.setdefault(word, set()).add(key)
        while self.weight > MOST_BYTES:
            oldest = next(iter(self.answers))
            words = self.answers[oldest].depends.words
            self._forget(oldest)
            for word in words:
                self.saying.get(word, set()).discard(oldest)

    def _forget(self, key: Key) -> None:
        forgotten = self.answers.pop(key, None)
        if forgotten is not None:
            self.weight -= forgotten.weight


class PreparedAnswers:
    """Answers GET from kept answers."""

    def __init__(self, app: ASGIApp, routes: KeptRoutes, answers: KeptAnswers, changes: ChangeDispatcher) -> None:
        self._app = app
        self._routes = routes
        self._store = answers
        self._changes = changes
        self._making: dict[tuple[str, bytes, int], tuple[asyncio.Future[KeptAnswer | None], SharedWork]] = {}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Passes on requests for answers that are not kept."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        key = scope["path"], canonical(scope["query_string"])
        chain: Status = scope["app"].state.status
        await self._changes.dispatch()
        depends = self._routes.find(*key) if scope["method"] == "GET" else None
        if depends is None:
            await self._app(scope, receive, send)
            return
        kept = self._store.answers.get(key)
        if kept is None or not _holds(kept, chain, asyncio.get_running_loop().time()):
            before = kept
            kept = await self._made(
                key, lambda: self._make(before, scope, receive, send, depends, chain), of_many=depends.is_of_many
            )
            if kept is None:
                return
        scope["route"] = kept.route
        await kept.answer.send(scope, send)

    async def _made(
        self, key: Key, make: Callable[[], Awaitable[KeptAnswer | None]], *, of_many: bool
    ) -> KeptAnswer | None:
        """The route's answer. Callers who ask while it is being made wait for it, unless something has changed since.

        Answers about many jobs or machines may always be waited for, and are kept: so each is made once at a time.
        """
        changes = NEVER if of_many else self._store.changes
        if (*key, changes) in self._making:
            making, work = self._making[*key, changes]
            work.join()
            if (kept := await making) is not None:
                return kept
        self._making[*key, changes] = mine = asyncio.get_running_loop().create_future(), SharedWork()
        made, work = mine
        kept = None
        begun = self._store.changes
        try:
            with work.doing():
                kept = await make()
        finally:
            if self._making.get((*key, changes)) is mine:
                del self._making[*key, changes]
            made.set_result(kept)
        if kept is not None and (of_many or begun == self._store.changes):
            kept.is_outdated = begun != self._store.changes
            self._store.keep(key, kept)
        return kept

    async def _make(
        self,
        before: KeptAnswer | None,
        scope: Scope,
        receive: Receive,
        send: Send,
        depends: AnswerDependence,
        chain: Status,
    ) -> KeptAnswer | None:
        """The answer as it is now; None when it was passed on, being an error or too large."""
        reads: Reads = scope["app"].state.reads
        market = chain.market
        until = day_end(chain.now()) if VAULT in depends.words else None
        if LISTING in depends.words:
            until = _sooner(until, await self._next_silence(reads, chain))
        if before is not None and before.making is not None:
            made = await _again(before, before.making, reads, market, until)
            if made is not None:
                return made
        return await self._ask(scope, receive, send, depends, market, until)

    async def _ask(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        depends: AnswerDependence,
        market: Market | None,
        until: int | None,
    ) -> KeptAnswer | None:
        """The route's answer; None for one that is not kept, and has been sent."""
        state = scope.setdefault("state", {})
        for name in (HOLDS_UNTIL, MAKING):
            state.pop(name, None)
        messages: list[Message] = []

        async def take(message: Message) -> None:
            messages.append(message)

        await self._app(scope, receive, take)
        start = messages[0]
        body = b"".join(message.get("body", b"") for message in messages[1:])
        if start["status"] != OK or len(body) > LARGEST:
            for message in messages:
                await send(message)
            return None
        told = _sooner(until, state.get(HOLDS_UNTIL))
        made_at = asyncio.get_running_loop().time()
        answer = Representation(start, body)
        return KeptAnswer(depends, scope.get("route"), answer, market, told, made_at, state.get(MAKING))

    async def _next_silence(self, reads: Reads, chain: Status) -> int | None:
        """Read once for all answers, until a listing changes."""
        silence = self._store.silence
        if silence is None or not silence.holds(chain):
            changes = self._store.changes
            silence = await reads(_silent_from, chain)
            if changes == self._store.changes:
                self._store.silence = silence
        return silence.until


async def _again(
    before: KeptAnswer, making: Making, reads: Reads, market: Market | None, until: int | None
) -> KeptAnswer | None:
    """The same answer as it is now; None where its route must say why there is none, or it has become too large."""
    try:
        answer, told = await reads(making.again, before.route, before.answer)
    except (ApiError, SQLAlchemyError):
        return None
    if len(answer.body) > LARGEST:
        return None
    made_at = asyncio.get_running_loop().time()
    return replace(before, answer=answer, market=market, until=_sooner(until, told), made_at=made_at, is_outdated=False)


def canonical(query: bytes) -> bytes:
    """The same for every way to write a query: parameters by name, in one encoding."""
    if not query:
        return query
    pairs = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    return urlencode(sorted(pairs, key=itemgetter(0))).encode()


def _sooner(one: int | None, other: int | None) -> int | None:
    """The first of two moments; None is never."""
    if one is None:
        return other
    if other is None:
        return one
    return min(one, other)


def _holds(kept: KeptAnswer, chain: Status, now: float) -> bool:
    if kept.is_outdated and now - kept.made_at >= PACE_SECONDS:
        return False
    in_time = kept.until is None or chain.now() < kept.until
    return in_time and (LISTING not in kept.depends.words or kept.market is chain.market)


def _silent_from(connection: Connection, chain: Status) -> NextSilence:
    market = chain.market
    at = chain.now()
    since = heard_since(chain)
    heard = connection.execute(ONLINE_LONGEST, since).scalar()
    until = None
    if heard is not None:
        until = heard - since["heard_since"] + at + 1
    return NextSilence(until, at, market)
