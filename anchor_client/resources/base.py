"""The base of every resource, and the types of its fields.

Resources do not import pydantic, which is slow to import, but provide its hooks, so the API can use them with it.
"""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Mapping, Sequence
from dataclasses import MISSING, FrozenInstanceError, dataclass, field, fields
from functools import cache
from typing import Annotated, Any, ClassVar, NoReturn, Self, dataclass_transform, get_type_hints

from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client.generated.types import CloseReason, RentalKind
from anchor_client.kinds import kind_name, parse_kind
from anchor_client.resources.marks import DecimalText, Mark, Text, mark_of, told


def about(*, description: str | None = None, examples: Sequence[object] | None = None, default: Any = MISSING) -> Any:
    """A field with its OpenAPI description."""
    return field(default=default, metadata=told(description, examples))


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(about,))
class Resource:
    """An object of the market: a frozen dataclass. It never changes: read it again for the current state."""

    __pydantic_config__: ClassVar = {"json_schema_serialization_defaults_required": True}
    _defaults: ClassVar[dict[str, Any]] = {}
    _required: ClassVar[tuple[str, ...]] = ()
    _names: ClassVar[frozenset[str]] = frozenset()

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        dataclass(init=False, repr=False, eq=False)(cls)
        cls._defaults = {each.name: each.default for each in fields(cls) if each.default is not MISSING}  # type: ignore[arg-type]
        cls._required = tuple(name for name in cls.names() if name not in cls._defaults)
        cls._names = frozenset(cls.names())

    def __init__(self, **values: Any) -> None:
        """Stores the values unchanged."""
        made = self._defaults | values
        if made.keys() != self._names:
            wrong = made.keys() ^ self._names
            raise TypeError(f"{type(self).__name__}, missing or unknown: {', '.join(sorted(wrong))}")
        object.__setattr__(self, "__dict__", made)

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __eq__(self, other: object) -> bool:
        if type(other) is type(self):
            return self._values() == other._values()
        return NotImplemented

    def __hash__(self) -> int:
        return hash(self._values())

    def __repr__(self) -> str:
        values = zip(self.names(), self._values(), strict=True)
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in values)})"

    def _values(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.names())

    @classmethod
    def names(cls) -> tuple[str, ...]:
        """The field names, in order."""
        return tuple(each.name for each in fields(cls))  # type: ignore[arg-type]

    @classmethod
    def known(cls, **values: Any) -> Self:
        """Creates one from trusted values, in half the time: the API creates many. Addresses and similar values may be
        JSON texts, if it is only used for JSON.
        """
        made = cls.__new__(cls)
        object.__setattr__(made, "__dict__", cls._defaults | values)
        return made

    @classmethod
    def drawn_from(cls, source: Any, /, **known: Any) -> Self:
        """The same, with the fields without a default read from `source`, an account or a row, by name."""
        return cls.known(**{name: getattr(source, name) for name in cls._required if name not in known}, **known)

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> Self:
        """Creates one from `values` by field name; addresses and similar values may be texts."""
        return cls(**{name: _read(values[name], mark) for name, mark in cls._marks().items() if name in values})

    def to_json(self) -> dict[str, Any]:
        """The fields in the API's form."""
        return {name: _to_json(getattr(self, name), mark) for name, mark in self._marks().items()}

    @classmethod
    @cache
    def _marks(cls) -> Mapping[str, Mark | None]:
        """Mark of each field with its JSON form; None if it stays unchanged."""
        hints = get_type_hints(cls, include_extras=True)
        return {name: mark_of(hints[name]) for name in cls.names()}


def _read(value: Any, mark: Mark | None) -> Any:
    return value if value is None or mark is None else mark.parsed(value)


def _to_json(value: Any, mark: Mark | None) -> Any:
    if isinstance(value, Resource):
        return value.to_json()
    if isinstance(value, tuple | list):
        return [_to_json(one, mark) for one in value]
    return value if value is None or mark is None else mark.written(value)


Address = Annotated[
    Pubkey,
    Text(
        kind=Pubkey,
        read=Pubkey.from_string,
        description="A base58 address.",
        examples=("So11111111111111111111111111111111111111112",),
    ),
]
Tx = Annotated[
    Signature,
    Text(kind=Signature, read=Signature.from_string, description="A transaction's signature in base58."),
]
Hash = Annotated[bytes, Text(kind=bytes, read=bytes.fromhex, write=bytes.hex, description="SHA-256 in hex.")]
PublicKey = Annotated[bytes, Text(kind=bytes, read=bytes.fromhex, write=bytes.hex, description="X25519, in hex.")]
Sealed = Annotated[bytes, Text(kind=bytes, read=b64decode, write=lambda sealed: b64encode(sealed).decode())]
Kind = Annotated[
    RentalKind,
    Text(
        kind=RentalKind,
        read=parse_kind,
        write=kind_name,
        description="on-demand, spot or reserved.",
        examples=("on-demand",),
    ),
]
Reason = Annotated[
    CloseReason,
    Text(
        kind=CloseReason,
        read=lambda word: CloseReason[word.upper()],
        write=lambda reason: reason.name.lower(),
        examples=("stopped",),
    ),
]
BaseUnits = Annotated[int, DecimalText(description="Base units, exact.", examples=("1250000",))]
