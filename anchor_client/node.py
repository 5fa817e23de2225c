"""A JSON-RPC client that understands every error a node may answer with.

solders knows the codes of the specification: of another code it gives the bare number, and it panics where the data of
a code is left out. Both are common among hosted nodes, so such answers are read here, in the node's own words.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, TypeVar

from solana.rpc.async_api import AsyncClient
from solana.rpc.async_http_provider import AsyncHTTPProvider
from solana.rpc.commitment import Commitment, Confirmed
from solana.rpc.core import RPCException
from solders.errors import SerdeJSONError
from solders.rpc.requests import Body

Answer = TypeVar("Answer", bound=Any)


@dataclass(frozen=True, slots=True)
class NodeFault:
    """What a node says when it refuses a request."""

    code: int
    message: str


class NodeClient(AsyncClient):
    """solana-py's client with `Confirmed` as its default commitment; raises RPCException for each refusal."""

    def __init__(
        self,
        endpoint: str,
        commitment: Commitment = Confirmed,
        *,
        timeout: float | None = None,
        max_transport_retries: int = 1,
    ) -> None:
        super(AsyncClient, self).__init__(commitment)
        self._provider = _Provider(endpoint, timeout=timeout, max_transport_retries=max_transport_retries)


class _Provider(AsyncHTTPProvider):
    async def make_request(self, body: Body, parser: type[Answer]) -> Answer:
        raw = await self.make_request_unparsed(body)
        try:
            answer = parser.from_json(raw)
        except SerdeJSONError:
            raise
        except BaseException as error:
            # PanicException derives from BaseException and has no name to import.
            if type(error).__name__ != "PanicException":
                raise
            raise RPCException(_fault(raw)) from error
        if isinstance(answer, parser):
            return answer
        raise RPCException(_fault(raw) if isinstance(answer, int) else answer)


def _fault(raw: str) -> NodeFault:
    error = json.loads(raw)["error"]
    return NodeFault(error["code"], str(error["message"]))
