"""JSON-RPC over HTTP: one call and its typed answer, or the named error of what went wrong.

What comes back is made into typed values here or refused here; a refusal that may pass is tried again, call by call.
"""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Final, Self, TypeVar

import httpx2

from anchor_client.errors import (
    GpuMarketError,
    RateLimited,
    RpcRefused,
    UnreachableRpc,
    UnreadableAnswer,
    WrongEndpoint,
)
from anchor_client.redaction import Endpoint

TIMEOUT_SECONDS: Final = 5.0
SLOWEST: Final = 6
"""Time-outs after which an answer that still trickles in is given up."""
HEADERS: Final = {"Content-Type": "application/json"}
PASSING_CODES: Final = frozenset({-32004, -32005, -32014, -32016})
"""Block not available yet, node unhealthy, block status not available yet, node behind the requested slot."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Retries:
    """How often a call is made, and the seconds between: about `first`, then twice as long each time up to `most`."""

    attempts: int = 2
    first: float = 0.2
    most: float = 5.0

    def waits(self) -> Iterator[float]:
        """The seconds before each repetition; a little is left to chance, so that callers don't return together."""
        for number in range(self.attempts - 1):
            yield min(self.first * 2**number, self.most) * random.uniform(0.75, 1.25)


@dataclass(frozen=True, slots=True)
class HttpAnswer:
    """What came back of a request."""

    status: int
    text: str
    retry_after: str | None = None


class JsonRpc:
    """Calls methods of one endpoint; an async context manager. `timeout` in seconds, for each attempt."""

    def __init__(self, url: str, *, timeout: float = TIMEOUT_SECONDS, retries: Retries | None = None) -> None:
        self.endpoint = Endpoint(url)
        self._retries = retries or Retries()
        self._timeout = timeout
        # Without TLS there is no HTTP/2 to agree on, nor a certificate to check: loading those takes long.
        has_tls = url.lower().startswith("https:")
        self._http = httpx2.AsyncClient(http2=has_tls, verify=has_tls, timeout=timeout)

    async def call(self, method: str, params: Sequence[Any], read: Callable[[str], T]) -> T:
        """What `read` makes of the answer's text.

        `read` raises ValueError for what the method never answers, and what `refusal_of` gives for a refusal. Raises
        UnreachableRpc, RateLimited, WrongEndpoint, UnreadableAnswer, RpcRefused.
        """
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        for wait in self._retries.waits():
            try:
                return await self._once(method, body, read)
            except GpuMarketError as error:
                if not _may_pass(error):
                    raise
                told = error.retry_after if isinstance(error, RateLimited) else None
                await asyncio.sleep(min(max(wait, told or 0), self._retries.most))
        return await self._once(method, body, read)

    async def close(self) -> None:
        """Ends the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _once(self, method: str, body: str, read: Callable[[str], T]) -> T:
        try:
            async with asyncio.timeout(SLOWEST * self._timeout):
                answer = await self._post(body)
        except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError) as error:
            raise self._transport_error(error) from error
        self._require_success(answer)
        try:
            return read(answer.text)
        except ValueError as error:
            raise UnreadableAnswer(f"{self.endpoint} answers {method} with what is no answer to it: {error}") from error

    async def _post(self, body: str) -> HttpAnswer:
        response = await self._http.post(self.endpoint.url, content=body, headers=HEADERS)
        return HttpAnswer(response.status_code, response.text, response.headers.get("retry-after"))

    def _require_success(self, answer: HttpAnswer) -> None:
        if answer.status == httpx2.codes.TOO_MANY_REQUESTS:
            told = answer.retry_after or ""
            raise RateLimited(
                f"{self.endpoint} takes no more requests for now", retry_after=float(told) if told.isdecimal() else None
            )
        if answer.status >= httpx2.codes.INTERNAL_SERVER_ERROR:
            raise UnreachableRpc(f"{self.endpoint} answers with HTTP status {answer.status}")
        if not httpx2.codes.is_success(answer.status):
            raise WrongEndpoint(f"{self.endpoint} answers with HTTP status {answer.status}")

    def _transport_error(self, cause: Exception) -> GpuMarketError:
        if isinstance(cause, httpx2.UnsupportedProtocol | httpx2.InvalidURL):
            return WrongEndpoint(f"{str(self.endpoint)!r} is not a URL of an RPC node")
        if isinstance(cause, httpx2.TimeoutException | TimeoutError):
            return UnreachableRpc(f"{self.endpoint} does not answer in time")
        if isinstance(cause, httpx2.DecodingError):
            return UnreadableAnswer(f"{self.endpoint} answers with what cannot be unpacked")
        return UnreachableRpc(f"{self.endpoint} cannot be reached")


def refusal_of(code: object, message: object, reason: object = None) -> GpuMarketError:
    """The error for a request that the node refused; `reason` is its answer where solders knows it.

    ValueError if it is no refusal of JSON-RPC.
    """
    if type(code) is not int or not isinstance(message, str):
        raise ValueError("a refusal without code and message")
    if code == httpx2.codes.TOO_MANY_REQUESTS:
        return RateLimited("The RPC node takes no more requests for now")
    return RpcRefused(f"The RPC node refused: {message}", code, reason=reason)


def _may_pass(error: GpuMarketError) -> bool:
    if isinstance(error, RpcRefused):
        return error.code in PASSING_CODES
    return isinstance(error, UnreachableRpc | RateLimited | UnreadableAnswer)
