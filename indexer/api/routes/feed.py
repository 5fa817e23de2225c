"""/api/feed: what changes, as it does, by WebSocket or as server-sent events."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Annotated

import msgspec
from fastapi import APIRouter, Depends, Header, Query, Request, WebSocket
from fastapi.responses import Response, StreamingResponse
from starlette.websockets import WebSocketDisconnect

from indexer.api.connections import client_key
from indexer.api.errors import ApiError
from indexer.api.feed import messages
from indexer.api.feed.admission import Admission, FeedFull
from indexer.api.feed.feed import Feed
from indexer.api.feed.log import CURSOR_PATTERN, Position
from indexer.api.feed.subscriber import MOST_TOPICS, Subscriber
from indexer.api.feed.subscription import Change, NotUnderstood, Subscription
from indexer.api.feed.topics import PATTERN
from indexer.api.methods import IS_HEAD
from indexer.api.strict import only_known_parameters

EVENT_STREAM = "text/event-stream"
GOING_AWAY, REFUSED, TRY_AGAIN = 1001, 1008, 1013
"""Close codes: the server stops; what was asked for is not understood; the client is too slow, or one too many."""
IDLE_SECONDS = 15.0
CLOSE_SECONDS = 5.0
RETRY_SECONDS = 5

Topic = Annotated[str, Query(pattern=PATTERN)]
router = APIRouter(tags=["feed"])


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
    """Server-sent events for these topics: first `hello`, then states, then what comes; resumes behind a cursor.

    The same URL takes a WebSocket, on which `{"subscribe": [...]}` and `{"unsubscribe": [...]}` change the topics.
    """
    try:
        asked = Subscription.of(request.query_params)
    except NotUnderstood as error:
        detail = "See docs/index-and-api.md for topics and parameters."
        raise ApiError(422, "not_understood", str(error), detail) from error
    if request.scope.get(IS_HEAD):
        return Response(media_type=EVENT_STREAM)
    feed, admission = _feed(request)
    try:
        held = admission.enter(_client(request))
    except FeedFull as error:
        raise ApiError(503, "feed_full", str(error), "Try again later.", retry_after=RETRY_SECONDS) from error
    after_id = asked.after if last_event_id is None else Position.parse(last_event_id)
    stream = _stream(feed, Subscriber(asked.topics), after_id, held)
    return StreamingResponse(stream, media_type=EVENT_STREAM, headers={"Cache-Control": "no-store"})


@router.websocket("/api/feed")
async def socket(websocket: WebSocket) -> None:
    """The same over a WebSocket, a message a frame."""
    await websocket.accept()
    feed, admission = _feed(websocket)
    try:
        asked = Subscription.of(websocket.query_params)
        with admission.enter(_client(websocket)):
            await _serve(websocket, feed, asked)
    except NotUnderstood as error:
        await _close(websocket, REFUSED, messages.error("not_understood", str(error)))
    except FeedFull as error:
        await _close(websocket, TRY_AGAIN, messages.error("feed_full", str(error)))


async def _serve(websocket: WebSocket, feed: Feed, asked: Subscription) -> None:
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
        slow = messages.error("too_slow", "messages were not taken in time: resume after the last cursor")
        await _close(websocket, TRY_AGAIN, slow)
    elif not has_left:
        await websocket.close(GOING_AWAY)


async def _send(websocket: WebSocket, feed: Feed, subscriber: Subscriber, after: Position | None) -> None:
    async with contextlib.aclosing(feed.follow(subscriber, after)) as told:
        with contextlib.suppress(WebSocketDisconnect):
            async for text in told:
                await websocket.send_text(text.decode())


async def _receive(websocket: WebSocket, feed: Feed, subscriber: Subscriber) -> None:
    """Takes what the client wants changed until it leaves."""
    async for text in websocket.iter_text():
        try:
            change = Change.parse(text)
            topics = change.applied_to(subscriber.topics)
        except NotUnderstood as error:
            subscriber.offer(messages.error("not_understood", str(error)))
            continue
        await feed.resubscribe(subscriber, topics)


async def _close(websocket: WebSocket, code: int, last: bytes) -> None:
    """Says why, if the client still listens, and closes."""
    reason = msgspec.json.decode(last)["error"]
    with contextlib.suppress(WebSocketDisconnect, RuntimeError, TimeoutError):
        async with asyncio.timeout(CLOSE_SECONDS):
            await websocket.send_text(last.decode())
            await websocket.close(code, reason)


async def _stream(
    feed: Feed, subscriber: Subscriber, after: Position | None, held: contextlib.AbstractContextManager[None]
) -> AsyncIterator[bytes]:
    """The messages as server-sent events, with a comment where nothing comes for long."""
    with held:
        async with contextlib.aclosing(feed.follow(subscriber, after)) as told:
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
    id = b"" if told.cursor is None or told.type == "state" else b"id: " + told.cursor.encode() + b"\n"
    return b"event: " + told.type.encode() + b"\n" + id + b"data: " + text + b"\n\n"


def _feed(request: Request | WebSocket) -> tuple[Feed, Admission]:
    state = request.app.state
    return state.feed, state.feed_admission


def _client(request: Request | WebSocket) -> str:
    return client_key(request.client.host if request.client else "")
