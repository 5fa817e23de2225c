"""Resources from a market's API, for as long as it is reliable."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing
from typing import Final, TypeVar

from pydantic import TypeAdapter, ValidationError

from anchor_client.api.feed import Feed
from anchor_client.api.market import read_refusal
from anchor_client.errors import UnreachableApi, WrongApi

IDLE_SECONDS: Final = 15.0
"""Seconds of silence after which the chain is read as well."""
T = TypeVar("T")


async def follow_state(
    feed: Feed, topic: str, kind: type[T], is_current: Callable[[T | None], Awaitable[bool]]
) -> AsyncGenerator[T, None]:
    """A topic's state, immediately and whenever it changes.

    `is_current` asks the chain, when nothing comes, whether the last state still holds; None is none. Ends where
    neither the API nor the chain has one. UnreachableApi, WrongApi, ApiRefused.
    """
    last: T | None = None
    reader: TypeAdapter[T] = TypeAdapter(kind)
    async with aclosing(feed.follow(topic, idle_seconds=IDLE_SECONDS)) as messages:
        async for message in messages:
            if message is None:
                if not await is_current(last):
                    raise UnreachableApi(f"{feed.endpoint} is behind the chain")
            elif message.type == "state":
                last = _read(feed, reader, bytes(message.data))
                if last is not None:
                    yield last
                elif await is_current(None):
                    return


def _read(feed: Feed, reader: TypeAdapter[T], text: bytes) -> T | None:
    """The resource; None for a response that it does not exist."""
    try:
        return reader.validate_json(text)
    except ValidationError as error:
        if read_refusal(text) is None:
            raise WrongApi(f"{feed.endpoint} returned an invalid resource") from error
        return None
