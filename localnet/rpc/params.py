"""Positional parameters, checked as a validator's deserialiser checks them, errors included."""

import json
from collections.abc import Sequence

from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_idl import base58
from localnet.records import Json
from localnet.rpc.errors import RpcError, invalid_params

U64_MAX = 2**64 - 1


class Params:
    """The parameters of one call. Every accessor raises RpcError -32602 for what it cannot use."""

    def __init__(self, values: Sequence[Json]) -> None:
        self._values = values

    def __len__(self) -> int:
        return len(self._values)

    def value(self, index: int) -> Json:
        """The raw parameter; None when absent."""
        return self._values[index] if index < len(self._values) else None

    def string(self, index: int) -> str:
        """A string."""
        return as_string(self.value(index))

    def u64(self, index: int, kind: str = "u64") -> int:
        """An unsigned number."""
        return as_u64(self.value(index), kind)

    def optional_u64(self, index: int, kind: str = "u64") -> int | None:
        """An unsigned number or None."""
        return None if self.value(index) is None else self.u64(index, kind)

    def strings(self, index: int) -> list[str]:
        """A list of strings."""
        value = self.value(index)
        if not isinstance(value, list):
            raise wrong_type(value, "a sequence")
        return [as_string(item) for item in value]

    def pubkey(self, index: int) -> Pubkey:
        """An address."""
        return as_pubkey(self.string(index))

    def signature(self, index: int) -> Signature:
        """A signature."""
        return as_signature(self.string(index))

    def config(self, index: int, struct: str) -> "Config":
        """A configuration object, empty when absent; `struct` is its name in error messages."""
        value = self.value(index)
        if value is not None and not isinstance(value, dict):
            raise wrong_type(value, f"struct {struct}")
        return Config(value or {})


class Config:
    """A configuration object; unknown fields are ignored, as validators do."""

    def __init__(self, fields: dict[str, Json]) -> None:
        self._fields = fields

    def get(self, name: str) -> Json:
        """The raw field; None when absent."""
        return self._fields.get(name)

    @property
    def commitment(self) -> str | None:
        """The commitment asked for; None when the config leaves it to the method."""
        value = self.get("commitment")
        return None if value is None else as_string(value)

    def flag(self, name: str, *, default: bool = False) -> bool:
        """A boolean."""
        value = self.get(name)
        if value is None:
            return default
        if not isinstance(value, bool):
            raise wrong_type(value, "a boolean")
        return value

    def number(self, name: str, kind: str = "u64") -> int | None:
        """An unsigned number or None."""
        value = self.get(name)
        return None if value is None else as_u64(value, kind)

    def text(self, name: str) -> str | None:
        """A string or None."""
        value = self.get(name)
        return None if value is None else as_string(value)

    def choice(self, name: str, choices: Sequence[str]) -> str | None:
        """One of the choices or None."""
        value = self.text(name)
        if value is not None and value not in choices:
            raise unknown_variant(value, choices)
        return value

    def config(self, name: str, struct: str) -> "Config | None":
        """A nested configuration object or None."""
        value = self.get(name)
        if value is None:
            return None
        if not isinstance(value, dict):
            raise wrong_type(value, f"struct {struct}")
        return Config(value)


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
    expected = f"one of {expected}" if len(choices) > 2 else expected.replace(", ", " or ")
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
