"""JSON-RPC over HTTP: one call and its typed answer, or the named error of what went wrong.

What comes back is made into typed values here or refused here; a refusal that may pass is tried again, call by call.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from types import TracebackType
from typing import Any, Final, Protocol, Self, TypeVar

import msgspec

from anchor_client.backoff import Backoff
from anchor_client.errors import (
    GpuMarketError,
    RateLimited,
    RpcRefused,
    UnreachableRpc,
    UnreadableAnswer,
    WrongEndpoint,
)
from anchor_client.http.answer import HttpAnswer, HttpFailure, NoHttpUrl, TooSlow, Undecodable
from anchor_client.http.client import HttpClient
from anchor_client.redaction import Endpoint

TIMEOUT_SECONDS: Final = 5.0
SLOWEST: Final = 6
"""Time-outs after which an answer that still trickles in is given up."""
PASSING_CODES: Final = frozenset({-32004, -32005, -32014, -32016})
"""Block not available yet, node unhealthy, block status not available yet, node behind the requested slot."""

WAITS: Final = Backoff(first=0.2, most=5.0)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Retries:
    """How often a call is made, and the seconds between."""

    attempts: int = 2
    waits: Backoff = WAITS


class Link(Protocol):
    """The way to a node, as HttpClient is one: `post` raises HttpFailure."""

    async def post(self, body: bytes) -> HttpAnswer: ...
    async def close(self) -> None: ...


class JsonRpc:
    """Calls methods of one endpoint; an async context manager. `timeout` in seconds, for each attempt."""

    def __init__(
        self,
        url: str,
        *,
        timeout: float = TIMEOUT_SECONDS,
        retries: Retries | None = None,
        connect: Callable[[str], Link] | None = None,
    ) -> None:
        self.endpoint = Endpoint(url)
        self._retries = retries or Retries()
        self._timeout = timeout
        self._link = HttpClient(url, timeout=timeout) if connect is None else connect(url)

    async def call(self, method: str, params: Sequence[Any], read: Callable[[str], T]) -> T:
        """What `read` makes of the answer's text.

        `read` raises ValueError for what the method never answers, and what `refusal_of` gives for a refusal. Raises
        UnreachableRpc, RateLimited, WrongEndpoint, UnreadableAnswer, RpcRefused.
        """
        body = msgspec.json.encode({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        waits = self._retries.waits
        for failures in range(1, self._retries.attempts):
            try:
                return await self._once(method, body, read)
            except GpuMarketError as error:
                if not _may_pass(error):
                    raise
                told = error.retry_after if isinstance(error, RateLimited) else None
                await asyncio.sleep(min(max(waits.spread(failures), told or 0), waits.most))
        return await self._once(method, body, read)

    async def close(self) -> None:
        """Ends the connections."""
        await self._link.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _once(self, method: str, body: bytes, read: Callable[[str], T]) -> T:
        try:
            async with asyncio.timeout(SLOWEST * self._timeout):
                answer = await self._link.post(body)
        except (HttpFailure, TimeoutError) as error:
            raise self._transport_error(error) from error
        self._require_success(answer)
        try:
            return read(answer.text)
        except ValueError as error:
            raise UnreadableAnswer(f"{self.endpoint} answers {method} with what is no answer to it: {error}") from error

    def _require_success(self, answer: HttpAnswer) -> None:
        if answer.status == HTTPStatus.TOO_MANY_REQUESTS:
            told = answer.retry_after or ""
            raise RateLimited(
                f"{self.endpoint} takes no more requests for now", retry_after=float(told) if told.isdecimal() else None
            )
        if answer.is_server_error:
            raise UnreachableRpc(f"{self.endpoint} answers with HTTP status {answer.status}")
        if not answer.is_success:
            raise WrongEndpoint(f"{self.endpoint} answers with HTTP status {answer.status}")

    def _transport_error(self, cause: Exception) -> GpuMarketError:
        if isinstance(cause, NoHttpUrl):
            return WrongEndpoint(f"{str(self.endpoint)!r} is not a URL of an RPC node")
        if isinstance(cause, TooSlow | TimeoutError):
            return UnreachableRpc(f"{self.endpoint} does not answer in time")
        if isinstance(cause, Undecodable):
            return UnreadableAnswer(f"{self.endpoint} answers with what cannot be read: {cause}")
        return UnreachableRpc(f"{self.endpoint} cannot be reached")


def refusal_of(code: object, message: object, reason: object = None) -> GpuMarketError:
    """The error for a request that the node refused; `reason` is its answer where solders knows it.

    ValueError if it is no refusal of JSON-RPC.
    """
    if type(code) is not int or not isinstance(message, str):
        raise ValueError("a refusal without code and message")
    if code == HTTPStatus.TOO_MANY_REQUESTS:
        return RateLimited("The RPC node takes no more requests for now")
    return RpcRefused(f"The RPC node refused: {message}", code, reason=reason)


def _may_pass(error: GpuMarketError) -> bool:
    if isinstance(error, RpcRefused):
        return error.code in PASSING_CODES
    return isinstance(error, UnreachableRpc | RateLimited | UnreadableAnswer)
