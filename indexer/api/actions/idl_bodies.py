"""Request bodies from the program's types, so that what they take is what it takes."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Annotated, Any, Final, Literal, TypeVar, get_type_hints

from pydantic import BaseModel, ConfigDict, Field, create_model
from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.structs import Struct
from indexer.api.words import AddressText, AmountText

SIZES: Final[Mapping[int, int]] = {id(layouts.U8): 8, id(layouts.U16): 16, id(layouts.U32): 32}
Value = TypeVar("Value")


_MADE: dict[str, type[BaseModel]] = {}


def body_of(kind: type[Struct], variant: str | None = None) -> type[BaseModel]:
    """A strict model of a type, the same each time: addresses, enums by their names in lower case, bytes in hex,
    amounts as text. With `variant` it has a `kind` of that name."""
    if kind.__name__ not in _MADE:
        hints = get_type_hints(kind)
        known = kind.LAYOUT.layouts
        fields: dict[str, Any] = {name: (_field(name, hints[name], known[name]), ...) for name in known}
        if variant is not None:
            fields = {"kind": (Literal[variant], ...)} | fields
        strict = ConfigDict(extra="forbid")
        _MADE[kind.__name__] = create_model(kind.__name__, __config__=strict, __doc__=kind.__doc__, **fields)
    return _MADE[kind.__name__]


def value_of(kind: type[Value], body: BaseModel) -> Value:
    """The value that a body says."""
    hints = get_type_hints(kind)
    return kind(**{name: _value(hints[name], value) for name, value in body if name in hints and name != "LAYOUT"})


def _field(name: str, hint: Any, layout: Any) -> Any:
    if hint is bool:
        return bool
    if hint is Pubkey:
        return AddressText
    if hint is bytes:
        return Annotated[str, Field(pattern=f"^([0-9a-f]{{2}}){{{layout.sizeof()}}}$")]
    if isinstance(hint, type) and issubclass(hint, Enum):
        return Literal[tuple(member.name.lower() for member in hint)]
    if isinstance(hint, type) and issubclass(hint, Struct):
        return body_of(hint)
    if id(layout) in SIZES:
        return Annotated[int, Field(ge=0, lt=2 ** SIZES[id(layout)])]
    if name.endswith("_usd"):
        return Annotated[int, Field(ge=0, lt=2**53)]
    return AmountText


def _value(hint: Any, value: Any) -> Any:
    if hint is Pubkey:
        return Pubkey.from_string(value)
    if hint is bytes:
        return bytes.fromhex(value)
    if isinstance(hint, type) and issubclass(hint, Enum):
        return hint[value.upper()]
    if isinstance(value, BaseModel):
        return value_of(hint, value)
    return int(value) if hint is int else value
