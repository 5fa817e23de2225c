"""Base classes of generated dataclasses, which add fields, a LAYOUT, a DISCRIMINATOR and OFFSETS."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Self

import construct

from anchor_idl.runtime.errors import DiscriminatorMismatch, InvalidValue, LayoutTooShort
from anchor_idl.runtime.layouts import WRONG, Fields

_WRONG_TYPE = (TypeError, ValueError, AttributeError, OverflowError)
"""Errors that writing a value of the wrong type can raise."""


class Struct:
    """A record of named fields, laid out without padding."""

    __slots__ = ()
    LAYOUT: ClassVar[Fields]

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """Reads the fields from the start of `data`, ignoring what is behind; LayoutTooShort or InvalidValue."""
        return cls._read(data, 0)

    @classmethod
    def _read(cls, data: bytes, start: int) -> Self:
        try:
            return cls(*cls.LAYOUT.unpack(data, start)[0])
        except WRONG:
            return cls(**parse_fields(cls.__name__, cls.LAYOUT, data[start:]))

    def encode(self) -> bytes:
        """The fields as bytes; InvalidValue if one does not fit its type."""
        return build_fields(type(self).__name__, self.LAYOUT, self.field_values())

    def field_values(self) -> dict[str, Any]:
        """The fields by name, nested values as they are."""
        return {name: getattr(self, name) for name in self.LAYOUT.layouts}

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.LAYOUT.layouts)

    def __hash__(self) -> int:
        return hash((type(self), *self.field_values().values()))

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in self.field_values().items())})"


class Discriminated(Struct):
    """Its discriminator, then its fields."""

    __slots__ = ()
    DISCRIMINATOR: ClassVar[bytes]

    @classmethod
    def decode(cls, data: bytes) -> Self:
        """Reads the data from its discriminator on; DiscriminatorMismatch, LayoutTooShort or InvalidValue."""
        require_discriminator(cls.__name__, cls.DISCRIMINATOR, data)
        return cls._read(data, len(cls.DISCRIMINATOR))

    def encode(self) -> bytes:
        """The data as the program writes it."""
        return self.DISCRIMINATOR + super().encode()


class Account(Discriminated):
    """The data of a program account.

    OFFSETS are byte positions from the start of the data, as a memcmp filter counts them; nested fields are dotted.
    """

    __slots__ = ()
    OFFSETS: ClassVar[Mapping[str, int]]


class Event(Discriminated):
    """An event. Layouts only ever grow at the tail.

    Bytes of newer fields are ignored; optional fields that an older event ends before are None.
    """

    __slots__ = ()


class TaggedUnion(Struct):
    """An enum with fields; each variant is a dataclass that derives from the enum's own class."""

    __slots__ = ()
    VARIANTS: ClassVar[tuple[type[TaggedUnion], ...]]

    @classmethod
    def variants(cls) -> tuple[type[TaggedUnion], ...]:
        """The variants in the order of their tags."""
        return cls.VARIANTS


def parse_fields(name: str, layout: Fields, data: bytes) -> dict[str, Any]:
    """Reads `layout` from the start of `data`; LayoutTooShort or InvalidValue, both naming the field of `name`."""
    try:
        return layout.parse(data)
    except construct.StreamError as error:
        raise LayoutTooShort(_place(name, error), len(data)) from error
    except construct.ConstructError as error:
        raise InvalidValue(_place(name, error), _reason(error)) from error


def build_fields(name: str, layout: Fields, values: Mapping[str, Any]) -> bytes:
    """Writes `values` by `layout`; InvalidValue, naming `name`, if one does not fit."""
    try:
        return layout.build(values)
    except construct.ConstructError as error:
        raise InvalidValue(_place(name, error), _reason(error)) from error
    except _WRONG_TYPE as error:
        raise InvalidValue(name, str(error)) from error


def _reason(error: construct.ConstructError) -> str:
    """The message without the path that construct puts on lines of its own."""
    return str(error).splitlines()[-1] if str(error) else type(error).__name__


def _place(name: str, error: construct.ConstructError) -> str:
    """The field at which an error came up: `Rental.terms.hours`."""
    _, *fields = (error.path or "").split(" -> ")
    return ".".join([name, *fields])


def require_discriminator(name: str, discriminator: bytes, data: bytes) -> None:
    """DiscriminatorMismatch if the data does not start with the discriminator of `name`."""
    found = data[: len(discriminator)]
    if found != discriminator:
        raise DiscriminatorMismatch(name, discriminator, bytes(found))
