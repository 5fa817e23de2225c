"""Parameters, checked as a validator's deserialiser checks them, errors included."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_idl import base58
from localnet.records import Json
from localnet.rpc.errors import RpcError, invalid_params

U64_MAX = 2**64 - 1


class Params:
    """The parameters of a call by their position, or the fields of one of its objects by name.

    Unknown fields are ignored, as validators do. Every accessor raises RpcError -32602 for what it cannot use.
    """

    def __init__(self, values: Mapping[Any, Json]) -> None:
        self._values = values

    def value(self, key: int | str) -> Json:
        """The raw value; None when absent."""
        return self._values.get(key)

    def string(self, key: int | str) -> str:
        """A string."""
        return as_string(self.value(key))

    def text(self, key: int | str) -> str | None:
        """A string or None."""
        return None if self.value(key) is None else self.string(key)

    def choice(self, key: int | str, choices: Sequence[str]) -> str | None:
        """One of the choices or None."""
        value = self.text(key)
        if value is not None and value not in choices:
            raise unknown_variant(value, choices)
        return value

    def u64(self, key: int | str, kind: str = "u64") -> int:
        """An unsigned number."""
        return as_u64(self.value(key), kind)

    def number(self, key: int | str, kind: str = "u64") -> int | None:
        """An unsigned number or None."""
        return None if self.value(key) is None else self.u64(key, kind)

    def flag(self, key: int | str, *, default: bool = False) -> bool:
        """A boolean."""
        value = self.value(key)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise wrong_type(value, "a boolean")
        return value

    def strings(self, key: int | str) -> list[str]:
        """A list of strings."""
        value = self.value(key)
        if not isinstance(value, list):
            raise wrong_type(value, "a sequence")
        return [as_string(item) for item in value]

    def pubkey(self, key: int | str) -> Pubkey:
        """An address."""
        return as_pubkey(self.string(key))

    def signature(self, key: int | str) -> Signature:
        """A signature."""
        return as_signature(self.string(key))

    def config(self, key: int | str, struct: str) -> "Params":
        """A configuration object, empty when absent; `struct` is its name in error messages."""
        value = self.value(key)
        if value is not None and not isinstance(value, dict):
            raise wrong_type(value, f"struct {struct}")
        return Params(value or {})

    @property
    def commitment(self) -> str | None:
        """The commitment asked for; None when the config leaves it to the method."""
        return self.text("commitment")


def as_string(value: Json) -> str:
    """The value as a string."""
    if not isinstance(value, str):
        raise wrong_type(value, "a string")
    return value


def as_u64(value: Json, kind: str = "u64") -> int:
    """The value as an unsigned number."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise wrong_type(value, kind)
    if not 0 <= value <= U64_MAX:
        raise invalid_params(f"Invalid params: invalid value: integer `{value}`, expected {kind}.")
    return value


def as_pubkey(text: str) -> Pubkey:
    """The text as an address."""
    return Pubkey(_base58(text, 32, 44))


def as_signature(text: str) -> Signature:
    """The text as a signature."""
    return Signature(_base58(text, 64, 88))


def _base58(text: str, size: int, longest: int) -> bytes:
    if len(text) > longest:
        raise invalid_params("Invalid param: WrongSize")
    try:
        data = base58.decode(text)
    except ValueError:
        raise invalid_params("Invalid param: Invalid") from None
    if len(data) != size:
        raise invalid_params("Invalid param: WrongSize")
    return data


def wrong_type(value: Json, expected: str) -> RpcError:
    """The deserialiser's complaint about a value of another type."""
    return invalid_params(f"Invalid params: invalid type: {_described(value)}, expected {expected}.")


def unknown_variant(value: str, choices: Sequence[str]) -> RpcError:
    """The deserialiser's complaint about a name it does not know."""
    expected = ", ".join(f"`{choice}`" for choice in choices)
    if len(choices) > 2:
        expected = f"one of {expected}"
    else:
        expected = expected.replace(", ", " or ")
    return invalid_params(f"Invalid params: unknown variant `{value}`, expected {expected}.")


def _described(value: Json) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return f"boolean `{json.dumps(value)}`"
        case int():
            return f"integer `{value}`"
        case float():
            return f"floating point `{value}`"
        case str():
            return f"string {json.dumps(value)}"
        case list():
            return "sequence"
        case _:
            return "map"
