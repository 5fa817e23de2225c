"""A way to a node that does not leave the process."""

from __future__ import annotations

from collections.abc import Callable

from anchor_client.solana.http.answer import HttpAnswer


class Answering:
    """Answers each request with what `answer` makes of it."""

    def __init__(self, answer: Callable[[bytes], HttpAnswer]) -> None:
        self._answer = answer

    async def post(self, body: bytes) -> HttpAnswer:
        return self._answer(body)

    async def close(self) -> None:
        """There is nothing to close."""
