"""JSON-RPC over HTTP: one request and its typed answer, or the named error of what went wrong.

solders knows the codes of the specification: of another code it gives the bare number, and it panics where the data of
a code is left out. Both are common among hosted nodes, so refusals are read here, in the node's own words.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, TypeVar

import httpx2
from solders.errors import SerdeJSONError

from anchor_client.errors import GpuMarketError, RateLimited, RpcRefused, UnreachableRpc, WrongEndpoint

TIMEOUT_SECONDS: Final = 5.0
HEADERS: Final = {"Content-Type": "application/json"}

Answer = TypeVar("Answer", bound=Any)


class JsonRpc:
    """Calls methods of one endpoint. `timeout` in seconds; a request that is lost is sent again `retries` times."""

    def __init__(self, endpoint: str, *, timeout: float, retries: int) -> None:
        self.endpoint = endpoint
        self._retries = retries
        # Without TLS there is no HTTP/2 to agree on, nor a certificate to check: loading those takes long.
        has_tls = endpoint.lower().startswith("https:")
        self._http = httpx2.AsyncClient(http2=has_tls, verify=has_tls, timeout=timeout)

    async def call(self, method: str, params: Sequence[Any], answer: type[Answer]) -> Answer:
        """The answer in its solders type. UnreachableRpc, RateLimited, WrongEndpoint, RpcRefused."""
        body = json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        try:
            raw = await self._post(body)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise transport_error(self.endpoint, error) from error
        try:
            parsed = answer.from_json(raw)
        except SerdeJSONError as error:
            raise WrongEndpoint(f"{self.endpoint} answers with something else than JSON-RPC") from error
        except BaseException as error:
            # PanicException derives from BaseException and has no name to import.
            if type(error).__name__ != "PanicException":
                raise
            raise refusal_of(self.endpoint, raw) from error
        if not isinstance(parsed, answer):
            raise refusal_of(self.endpoint, raw, parsed)
        return parsed

    async def close(self) -> None:
        """Ends the connections."""
        await self._http.aclose()

    async def _post(self, body: str) -> str:
        for _ in range(self._retries):
            try:
                return await self._post_once(body)
            except httpx2.TransportError:
                continue
        return await self._post_once(body)

    async def _post_once(self, body: str) -> str:
        response = await self._http.post(self.endpoint, content=body, headers=HEADERS)
        return response.raise_for_status().text


def transport_error(endpoint: str, cause: Exception) -> GpuMarketError:
    """The error for a request that got no JSON-RPC answer."""
    if isinstance(cause, httpx2.HTTPStatusError):
        status = cause.response.status_code
        if status == httpx2.codes.TOO_MANY_REQUESTS:
            return RateLimited(f"{endpoint} takes no more requests for now")
        if status >= httpx2.codes.INTERNAL_SERVER_ERROR:
            return UnreachableRpc(f"{endpoint} answers with HTTP status {status}")
        return WrongEndpoint(f"{endpoint} answers with HTTP status {status}")
    if isinstance(cause, httpx2.UnsupportedProtocol | httpx2.InvalidURL):
        return WrongEndpoint(f"{endpoint!r} is not a URL of an RPC node")
    if isinstance(cause, httpx2.TimeoutException):
        return UnreachableRpc(f"{endpoint} does not answer in time")
    return UnreachableRpc(f"{endpoint} cannot be reached")


def refusal_of(endpoint: str, raw: str, reason: object = None) -> GpuMarketError:
    """The error for a request that the node refused; `reason` is its answer where solders knows it."""
    error = json.loads(raw)["error"]
    code, message = error["code"], error["message"]
    if code == httpx2.codes.TOO_MANY_REQUESTS:
        return RateLimited(f"{endpoint} takes no more requests for now")
    return RpcRefused(f"The RPC node refused: {message}", code, reason=reason)
