"""Renews cached answers without calling their routes: the request has been parsed already.

A route that reads its answer by `keeping` has it made again, once what it says has changed, by a thread that reads the
index, writes JSON and compresses it: the event loop answers others meanwhile, and nothing is parsed or checked twice.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, TypeVar

from fastapi import Request
from fastapi.routing import APIRoute
from pydantic import TypeAdapter
from sqlalchemy import Connection

from indexer.api.http.compact import Representation
from indexer.store.transactions import Reads

HOLDS_UNTIL: Final = "holds_until"
MAKING: Final = "making"
"""Of a request's state."""

T = TypeVar("T")
Ask = Callable[[Connection], T]
Until = Callable[[T], int | None]
"""The moment of the chain's time up to which an answer holds; None for as long as nothing changes."""


def hold_until(request: Request, moment: int) -> None:
    """Says that the answer to a request holds only before a moment of the chain's time."""
    request.scope.setdefault("state", {})[HOLDS_UNTIL] = moment


def _always(_: object) -> None:
    return None


@dataclass(frozen=True, slots=True)
class Making:
    """The query behind a route's answer, and the moment until which the answer holds."""

    ask: Ask[Any]
    until: Until[Any]

    def again(
        self, connection: Connection, route: APIRoute, before: Representation
    ) -> tuple[Representation, int | None]:
        """The route's current answer, in the codings that `before` was asked for in, and until which moment it holds.

        Raises what the route would.
        """
        answer = self.ask(connection)
        return before.renewed(_writer(route.response_model).dump_json(answer, by_alias=True)), self.until(answer)


async def keeping(request: Request, ask: Ask[T], until: Until[T] = _always) -> T:
    """Reads the index for what a route answers, as it is. `ask` is called again, with what it has closed over: for
    that it must need nothing of the request, nor of a moment that passes."""
    reads: Reads = request.app.state.reads
    request.scope.setdefault("state", {})[MAKING] = Making(ask, until)
    answer = await reads(ask)
    moment = until(answer)
    if moment is not None:
        hold_until(request, moment)
    return answer


@cache
def _writer(model: Any) -> TypeAdapter[Any]:
    """Serializer of a route's answers."""
    return TypeAdapter(model)
