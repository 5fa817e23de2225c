"""A node's answers in solders' types.

solders knows the codes of the specification: of another code it gives the bare number, and it panics where the data of
a code is left out. Both are common among hosted nodes, so refusals are read here, in the node's own words.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from solders.errors import SerdeJSONError

from anchor_client.service.errors import GpuMarketError
from anchor_client.solana.json_rpc import refusal_of

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)


class NodeAnswer(Protocol[T_co]):
    """The common interface of solders' response classes."""

    @property
    def value(self) -> T_co: ...
    @staticmethod
    def from_json(raw: str) -> Any: ...


def answer_of(kind: type[NodeAnswer[T]]) -> Callable[[str], T]:
    """Reads the value of an answer of this kind, for `JsonRpc.call`."""

    def read(raw: str) -> T:
        return _parsed(kind, raw).value

    return read


def answers_of(kind: type[NodeAnswer[Sequence[T]]], count: int) -> Callable[[str], Sequence[T]]:
    """Reads the values of an answer that must have `count` of them."""

    def read(raw: str) -> Sequence[T]:
        values = _parsed(kind, raw).value
        if len(values) != count:
            raise ValueError(f"{len(values)} values where {count} were asked for")
        return values

    return read


def is_answered(raw: str) -> bool:
    """True where the result is not null; for `JsonRpc.call`, of methods that solders does not know."""
    answer = json.loads(raw)
    if not isinstance(answer, dict) or "result" not in answer:
        raise _refusal(raw)
    return answer["result"] is not None


def _parsed(kind: type[NodeAnswer[T]], raw: str) -> NodeAnswer[T]:
    try:
        parsed = kind.from_json(raw)
    except SerdeJSONError as error:
        raise ValueError("it is not in the form of the method's answers") from error
    except BaseException as error:
        # PanicException derives from BaseException and has no name to import.
        if type(error).__name__ != "PanicException":
            raise
        raise _refusal(raw) from error
    if not isinstance(parsed, kind):
        raise _refusal(raw, parsed)
    return parsed


def _refusal(raw: str, reason: object = None) -> GpuMarketError:
    try:
        error = json.loads(raw)["error"]
        return refusal_of(error["code"], error["message"], reason)
    except (KeyError, TypeError, RecursionError) as cause:
        raise ValueError("it is neither a result nor a refusal") from cause
