"""/api/feed: live updates, by WebSocket or as server-sent events."""

from __future__ import annotations

import asyncio
import contextlib
import math
from collections.abc import AsyncGenerator, AsyncIterator, Set
from typing import Annotated

import msgspec
from fastapi import APIRouter, Depends, Header, Query, Request, WebSocket
from fastapi.responses import Response, StreamingResponse
from starlette.requests import HTTPConnection
from starlette.websockets import WebSocketDisconnect

from anchor_client.service.shares import widest_of
from indexer.api.errors import ApiError, refusals
from indexer.api.feed import messages
from indexer.api.feed.admission import Admission, FeedFull
from indexer.api.feed.closing import GOING_AWAY, TRY_AGAIN, accept, close, refuse
from indexer.api.feed.feed import FeedHub
from indexer.api.feed.log import CURSOR_PATTERN, Position
from indexer.api.feed.replays import cost_of
from indexer.api.feed.subscriber import MOST_TOPICS, Subscriber
from indexer.api.feed.subscription import FeedSubscription, NotUnderstood, TopicChange
from indexer.api.feed.topics import PATTERN, state_path
from indexer.api.http.methods import IS_HEAD
from indexer.api.http.strict import only_known_parameters, operation_id
from indexer.api.limits.middleware import IDENTITY, POLICY, WEIGHT, caller_of, holder_of
from indexer.api.limits.policies import Policy
from indexer.api.limits.routes import take_more
from indexer.settings import IndexerSettings

EVENT_STREAM = "text/event-stream"
TOO_SLOW = "too_slow"
IDLE_SECONDS = 15.0
RETRY_SECONDS = 5

Topic = Annotated[str, Query(pattern=PATTERN)]
router = APIRouter(tags=["feed"], responses=refusals(422, 503), generate_unique_id_function=operation_id)


@router.get(
    "/api/feed",
    dependencies=[Depends(only_known_parameters)],
    response_class=StreamingResponse,
    responses={200: {"content": {EVENT_STREAM: {"schema": {"type": "string"}}}}},
)
async def events(
    request: Request,
    topic: Annotated[list[Topic], Query(min_length=1, max_length=MOST_TOPICS)],
    after: Annotated[str | None, Query(pattern=CURSOR_PATTERN)] = None,
    last_event_id: Annotated[str | None, Header(pattern=CURSOR_PATTERN)] = None,
) -> Response:
    """Server-sent events for these topics: first `hello`, then states, then updates; resumes after a cursor. The same
    URL accepts a WebSocket, on which `{"subscribe": [...]}` and `{"unsubscribe": [...]}` change the topics.
    """
    asked = _asked(request)
    if request.scope.get(IS_HEAD):
        return Response(media_type=EVENT_STREAM)
    after_id = asked.after if last_event_id is None else Position.parse(last_event_id)
    await _take_states(request, asked.topics)
    await _take_replay(request, after_id)
    held = _enter(request)
    told = request.app.state.feed.follow(Subscriber(asked.topics), after_id, widest_of(holder_of(request.scope)))
    stream = _stream(told, held)
    return StreamingResponse(stream, media_type=EVENT_STREAM, headers={"Cache-Control": "no-store"})


@router.websocket("/api/feed")
async def socket(websocket: WebSocket) -> None:
    """The same over a WebSocket, a message a frame."""
    await accept(websocket)
    try:
        asked = _asked(websocket)
        await _take_states(websocket, asked.topics)
        await _take_replay(websocket, asked.after)
        with _enter(websocket):
            await _serve(websocket, websocket.app.state.feed, asked)
    except ApiError as refusal:
        await refuse(websocket, refusal)


def _asked(connection: HTTPConnection) -> FeedSubscription:
    try:
        return FeedSubscription.of(connection.query_params)
    except NotUnderstood as error:
        detail = "See docs/index-and-api.md for topics and parameters."
        raise ApiError(422, "not_understood", str(error), detail) from error


def _enter(connection: HTTPConnection) -> contextlib.AbstractContextManager[None]:
    """Counts a client by its wallet, or by its address where it has not said whose it is. ApiError 503."""
    app = connection.app.state
    state = connection.state
    settings: IndexerSettings = app.settings
    most = settings.feed_clients_per_client
    if getattr(state, IDENTITY) is not None:
        factor = settings.participant_factor if getattr(state, WEIGHT) else 1
        most = math.floor(settings.feed_clients_per_wallet * factor)
    admission: Admission = app.feed_admission
    try:
        return admission.enter(caller_of(connection.scope), most, holder_of(connection.scope))
    except FeedFull as error:
        raise ApiError(503, "feed_full", str(error), "Try again later.", retry_after=RETRY_SECONDS) from error


async def _take_states(connection: HTTPConnection, topics: Set[str], least: int = 0) -> None:
    """Counts the states of topics as the requests that would ask for them. ApiError 429."""
    cost = max(least, sum(state_path(topic) is not None for topic in topics))
    if cost:
        await take_more(connection, cost)


async def _take_replay(connection: HTTPConnection, after: Position | None) -> None:
    """Counts missed events as requests, at most half of what the client may ask at once. ApiError 429."""
    feed: FeedHub = connection.app.state.feed
    cost = cost_of(await feed.missed(after))
    policy: Policy = getattr(connection.state, POLICY)
    if cost:
        await take_more(connection, min(cost, max(1, policy.requests // 2)))


async def _serve(websocket: WebSocket, feed: FeedHub, asked: FeedSubscription) -> None:
    subscriber = Subscriber(asked.topics)
    async with asyncio.TaskGroup() as group:
        sending = group.create_task(_send(websocket, feed, subscriber, asked.after))
        receiving = group.create_task(_receive(websocket, feed, subscriber))
        dropping = group.create_task(subscriber.is_slow.wait())
        tasks = (sending, receiving, dropping)
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        has_left = receiving.done()
        for task in tasks:
            task.cancel()
    if subscriber.is_slow.is_set():
        slow = messages.error(TOO_SLOW, "messages were not read in time: resume after the last cursor")
        await close(websocket, TRY_AGAIN, slow, TOO_SLOW)
    elif not has_left:
        await websocket.close(GOING_AWAY)


async def _send(websocket: WebSocket, feed: FeedHub, subscriber: Subscriber, after: Position | None) -> None:
    async with contextlib.aclosing(feed.follow(subscriber, after, widest_of(holder_of(websocket.scope)))) as told:
        with contextlib.suppress(WebSocketDisconnect):
            async for text in told:
                await websocket.send_text(text.decode())


async def _receive(websocket: WebSocket, feed: FeedHub, subscriber: Subscriber) -> None:
    """Takes what the client wants changed until it leaves."""
    async for text in websocket.iter_text():
        try:
            change = TopicChange.parse(text)
            topics = change.applied_to(subscriber.topics)
            await _take_states(websocket, topics - subscriber.topics, least=1)
        except NotUnderstood as error:
            subscriber.offer(messages.error("not_understood", str(error)))
            continue
        except ApiError as refusal:
            subscriber.offer(messages.error(refusal.problem.error, refusal.problem.detail))
            continue
        await feed.resubscribe(subscriber, topics)


async def _stream(
    messages_of: AsyncGenerator[bytes, None], held: contextlib.AbstractContextManager[None]
) -> AsyncIterator[bytes]:
    """The messages as server-sent events, with a comment where nothing comes for long."""
    with held:
        async with contextlib.aclosing(messages_of) as told:
            waiting: asyncio.Task[bytes] | None = None
            try:
                while True:
                    waiting = waiting or asyncio.ensure_future(anext(told))
                    done, _ = await asyncio.wait([waiting], timeout=IDLE_SECONDS)
                    if not done:
                        yield b":\n\n"
                        continue
                    try:
                        text = waiting.result()
                    except StopAsyncIteration:
                        return
                    waiting = None
                    yield _event(text)
            finally:
                if waiting is not None:
                    waiting.cancel()
                    await asyncio.gather(waiting, return_exceptions=True)


class _Told(msgspec.Struct):
    type: str
    cursor: str | None = None


def _event(text: bytes) -> bytes:
    told = msgspec.json.decode(text, type=_Told)
    # The cursor of a state is not a place to resume behind: its events may not have been told yet.
    if told.cursor is None or told.type == "state":
        id = b""
    else:
        id = b"id: " + told.cursor.encode() + b"\n"
    return b"event: " + told.type.encode() + b"\n" + id + b"data: " + text + b"\n\n"
