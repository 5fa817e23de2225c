"""The base of every resource, and the types of its fields."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Generic, Self, TypeVar

from pydantic import BaseModel, ConfigDict, Field, GetCoreSchemaHandler
from pydantic_core import CoreSchema, core_schema
from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client.generated.types import CloseReason, RentalKind
from anchor_client.kinds import kind_name, parse_kind

T = TypeVar("T")
_set = object.__setattr__


class Resource(BaseModel):
    """Something that the market has. Never changes: ask again for how it stands now."""

    model_config = ConfigDict(frozen=True, defer_build=True, json_schema_serialization_defaults_required=True)
    _defaults: ClassVar[dict[str, Any]] = {}
    _required: ClassVar[tuple[str, ...]] = ()

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        cls._defaults = {name: field.default for name, field in cls.model_fields.items() if not field.is_required()}
        cls._required = tuple(name for name in cls.model_fields if name not in cls._defaults)

    @classmethod
    def known(cls, **values: Any) -> Self:
        """One whose values are known to be right: in a tenth of the time that `model_construct` takes.

        Addresses and the like may be the texts that JSON gets, when only JSON is made of it.
        """
        made = cls.__new__(cls)
        _set(made, "__dict__", cls._defaults | values)
        _set(made, "__pydantic_fields_set__", set())
        _set(made, "__pydantic_extra__", None)
        _set(made, "__pydantic_private__", None)
        return made

    @classmethod
    def drawn_from(cls, source: Any, /, **known: Any) -> Self:
        """The same, with those that have no default from what `source`, an account or a row, has under their names."""
        return cls.known(**{name: getattr(source, name) for name in cls._required if name not in known}, **known)


@dataclass(frozen=True, slots=True)
class _Text(Generic[T]):
    """Text in JSON, a `kind` in Python."""

    kind: type[T]
    read: Callable[[str], T]
    write: Callable[[T], str]

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        write = core_schema.plain_serializer_function_ser_schema(
            self._write, return_schema=core_schema.str_schema(), when_used="json"
        )
        return core_schema.no_info_plain_validator_function(
            self._read,
            serialization=core_schema.to_string_ser_schema(when_used="json") if self.write is str else write,
            json_schema_input_schema=core_schema.str_schema(),
        )

    def _read(self, value: object) -> T:
        if isinstance(value, self.kind):
            return value
        if not isinstance(value, str):
            raise ValueError("not text")
        return self.read(value)

    def _write(self, value: T | str) -> str:
        return value if isinstance(value, str) else self.write(value)


@dataclass(frozen=True, slots=True)
class _DecimalText:
    """An integer that JSON has as a string of decimal digits."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.int_schema(serialization=core_schema.to_string_ser_schema(when_used="json"))


Address = Annotated[
    Pubkey,
    _Text(Pubkey, Pubkey.from_string, str),
    Field(description="A base58 address.", examples=["So11111111111111111111111111111111111111112"]),
]
Tx = Annotated[
    Signature, _Text(Signature, Signature.from_string, str), Field(description="A transaction's signature in base58.")
]
Hash = Annotated[bytes, _Text(bytes, bytes.fromhex, bytes.hex), Field(description="SHA-256 in hex.")]
Sealed = Annotated[bytes, _Text(bytes, b64decode, lambda sealed: b64encode(sealed).decode())]
Kind = Annotated[
    RentalKind,
    _Text(RentalKind, parse_kind, kind_name),
    Field(description="on-demand, spot or reserved.", examples=["on-demand"]),
]
Reason = Annotated[
    CloseReason,
    _Text(CloseReason, lambda word: CloseReason[word.upper()], lambda reason: reason.name.lower()),
    Field(examples=["stopped"]),
]
BaseUnits = Annotated[int, _DecimalText(), Field(description="Base units, exact.", examples=["1250000"])]
