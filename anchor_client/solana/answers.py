"""A node's answers in solders' types.

Accounts are read here: providers round `rentEpoch` so that solders cannot read it, and nobody needs it. Refusals as
well, in the node's own words: solders knows the codes of the specification, gives the bare number of another code, and
panics where the data of a code is left out, and both are common among hosted nodes.
"""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable, Sequence
from typing import Any, Generic, Literal, Protocol, TypeVar

import msgspec
from msgspec import UNSET, Struct, UnsetType
from solders.account import Account
from solders.errors import SerdeJSONError
from solders.pubkey import Pubkey
from solders.rpc.responses import RpcKeyedAccount

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
            raise ValueError(f"{len(values)} values instead of {count}")
        return values

    return read


class _AccountAnswer(Struct, frozen=True):
    """An account in base64."""

    data: tuple[str, Literal["base64"]]
    executable: bool
    lamports: int
    owner: str

    def account(self) -> Account:
        """The account, without its rentEpoch. ValueError."""
        if not 0 <= self.lamports < 2**64:
            raise ValueError(f"an account with {self.lamports} lamports")
        return Account(
            self.lamports, b64decode(self.data[0], validate=True), Pubkey.from_string(self.owner), self.executable
        )


class _KeyedAnswer(Struct, frozen=True):
    pubkey: str
    account: _AccountAnswer


class _AccountsAnswer(Struct, frozen=True):
    value: list[_AccountAnswer | None]


class _Envelope(Struct, Generic[T], frozen=True):
    """A result; without one, a refusal."""

    result: T | UnsetType = UNSET
    error: Any = None


_accounts = msgspec.json.Decoder(_Envelope[_AccountsAnswer])
_keyed = msgspec.json.Decoder(_Envelope[list[_KeyedAnswer]])


def accounts_of(count: int) -> Callable[[str], Sequence[Account | None]]:
    """Reads the answer of getMultipleAccounts, which must have `count` accounts."""

    def read(raw: str) -> Sequence[Account | None]:
        found = _result(_accounts, raw).value
        if len(found) != count:
            raise ValueError(f"{len(found)} values instead of {count}")
        return [None if each is None else each.account() for each in found]

    return read


def keyed_accounts(raw: str) -> Sequence[RpcKeyedAccount]:
    """Reads the answer of getProgramAccounts."""
    return [RpcKeyedAccount(Pubkey.from_string(each.pubkey), each.account.account()) for each in _result(_keyed, raw)]


def _result(decoder: msgspec.json.Decoder[_Envelope[T]], raw: str) -> T:
    try:
        result = decoder.decode(raw).result
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError("it is not a valid answer to the method") from error
    if isinstance(result, UnsetType):
        raise _refusal(raw)
    return result


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
        raise ValueError("it is not a valid answer to the method") from error
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
