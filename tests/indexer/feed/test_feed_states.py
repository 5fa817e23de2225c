"""States of topics: told to all who follow them, whatever single clients were given meanwhile."""

from __future__ import annotations

from starlette.types import Receive, Scope, Send

from indexer.api.feed.log import Position
from indexer.api.feed.states import States

HERE = Position("0" * 16, 1)


class Answering:
    """An application whose only answer changes."""

    body = b"1"

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": self.body})


async def told(states: States) -> list[str]:
    return [topic async for topic, _ in states.changed(["network"], HERE)]


async def test_changed__given_to_a_new_client_first__is_still_told_to_all() -> None:
    app = Answering()
    states = States(app)
    assert await told(states) == ["network"]
    app.body = b"2"
    assert len([text async for text in states.of(["network"], HERE)]) == 1
    assert await told(states) == ["network"]


async def test_changed__same_as_told_last__is_not_told_again() -> None:
    states = States(Answering())
    assert await told(states) == ["network"]
    assert await told(states) == []
