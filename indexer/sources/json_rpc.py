"""A JSON-RPC client for a Solana node."""

from __future__ import annotations

import itertools
from typing import Any, Self

import httpx
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_exponential_jitter

from indexer.errors import RpcFailed

ATTEMPTS = 4
TIMEOUT_SECONDS = 30.0
TRANSIENT_CODES = frozenset({-32004, -32005, -32014, -32016})
"""Block not available yet, node unhealthy, block status not available yet, node behind the requested slot."""


class NotNow(RpcFailed):
    """A failure that is likely to be temporary."""


class JsonRpc:
    """A client for one URL; an async context manager. Retries temporary failures."""

    def __init__(self, url: str, *, timeout: float = TIMEOUT_SECONDS) -> None:
        self.url = url
        limits = httpx.Limits(max_connections=256, max_keepalive_connections=64)
        self._http = httpx.AsyncClient(timeout=timeout, limits=limits)
        self._ids = itertools.count(1)

    async def call(self, method: str, *params: Any) -> Any:
        """Returns the result. RpcFailed, with the node's error code if there is one."""
        attempts = AsyncRetrying(
            retry=retry_if_exception_type(NotNow),
            stop=stop_after_attempt(ATTEMPTS),
            wait=wait_exponential_jitter(multiplier=0.2, max=5),
            reraise=True,
        )
        async for attempt in attempts:
            with attempt:
                return await self._once(method, params)
        raise AssertionError("unreachable: the last attempt raises")

    async def _once(self, method: str, params: tuple[Any, ...]) -> Any:
        request = {"jsonrpc": "2.0", "id": next(self._ids), "method": method, "params": params}
        try:
            response = await self._http.post(self.url, json=request)
        except httpx.TransportError as error:
            raise NotNow(method, f"{self.url}: {error!r}") from error
        if response.status_code == httpx.codes.TOO_MANY_REQUESTS or response.is_server_error:
            raise NotNow(method, f"HTTP {response.status_code}", response.status_code)
        try:
            answer = response.json()
            if "error" in answer:
                code, message = answer["error"]["code"], answer["error"]["message"]
                kind = NotNow if code in TRANSIENT_CODES else RpcFailed
                raise kind(method, message, code)
            return answer["result"]
        except (ValueError, KeyError, TypeError) as error:
            raise RpcFailed(method, f"HTTP {response.status_code} without a JSON-RPC answer") from error

    async def close(self) -> None:
        """Closes the connections."""
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()
