"""Many calls in one request."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeVar

import msgspec
from msgspec import Raw, Struct

from anchor_client.service.errors import GpuMarketError
from anchor_client.solana.errors import RpcRefused, WrongEndpoint
from anchor_client.solana.json_rpc.client import JsonRpc
from anchor_client.solana.json_rpc.refusals import refusal_of

MOST_CALLS: Final = 10
"""Calls in one request; many hosted nodes take no more."""

T = TypeVar("T")


class _Numbered(Struct, frozen=True):
    id: int


class _Error(Struct, frozen=True):
    code: int
    message: str


class _Refused(Struct, frozen=True):
    """One answer to the whole batch."""

    error: _Error


_refused = msgspec.json.Decoder(_Refused)
_parts = msgspec.json.Decoder(list[Raw])
_number = msgspec.json.Decoder(_Numbered)


async def call_many(
    rpc: JsonRpc, method: str, wanted: Sequence[tuple[Sequence[Any], Callable[[str], T]]]
) -> list[T | BaseException]:
    """Results of `JsonRpc.call` for each of these parameters, in their order; an error stands for a call that failed.

    They are sent in one request where the node takes that; a call that fails there is made again on its own.
    """
    if len(wanted) > 1:
        texts = await _texts(rpc, method, [params for params, _ in wanted])
    else:
        texts = {}

    async def one(place: int) -> T:
        params, read = wanted[place]
        if place in texts:
            try:
                return read(texts[place])
            except (ValueError, GpuMarketError):
                pass  # called on its own it is tried again, and named
        return await rpc.call(method, params, read)

    return await asyncio.gather(*map(one, range(len(wanted))), return_exceptions=True)


async def _texts(rpc: JsonRpc, method: str, asked: Sequence[Sequence[Any]]) -> dict[int, str]:
    """The answers' texts by place; none where the node does not take batches, or does not answer."""
    try:
        endpoint = (await rpc.choose())[0]
        if not endpoint.takes_batches:
            return {}
        calls = [{"jsonrpc": "2.0", "id": id, "method": method, "params": params} for id, params in enumerate(asked)]
        return await endpoint.ask(f"{method} in a batch", msgspec.json.encode(calls), _read, calls=len(calls))
    except (WrongEndpoint, RpcRefused):
        endpoint.takes_batches = False
        return {}
    except GpuMarketError:
        return {}


def _read(raw: str) -> dict[int, str]:
    if raw.lstrip().startswith("{"):
        error = _refused.decode(raw).error
        raise refusal_of(error.code, error.message)
    return {_number.decode(part).id: bytes(part).decode() for part in _parts.decode(raw)}
