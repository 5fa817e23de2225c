"""The model of an IDL, as the Anchor IDL specification 0.1.0 has it, without generics."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Primitive:
    """bool, u8..u256, i8..i256, f32, f64, string, bytes or pubkey."""

    name: str


@dataclass(frozen=True, slots=True)
class Option:
    """A value or nothing; `padded` is the C form with a 4-byte tag and room for the value in any case."""

    inner: Type
    padded: bool = False


@dataclass(frozen=True, slots=True)
class Vec:
    """A counted sequence."""

    inner: Type


@dataclass(frozen=True, slots=True)
class Array:
    """A sequence of fixed length."""

    inner: Type
    length: int


@dataclass(frozen=True, slots=True)
class Defined:
    """A type of the IDL's own, by name."""

    name: str


Type = Primitive | Option | Vec | Array | Defined


@dataclass(frozen=True, slots=True)
class Field:
    """A named value; fields of tuples are named field_0, field_1, ..."""

    name: str
    type: Type
    docs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Variant:
    """One variant of an enum."""

    name: str
    fields: tuple[Field, ...] = ()


@dataclass(frozen=True, slots=True)
class StructBody:
    """The fields of a struct."""

    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class EnumBody:
    """The variants of an enum; the tag of a variant is its index."""

    variants: tuple[Variant, ...]

    @property
    def is_unit(self) -> bool:
        """True where no variant has fields."""
        return not any(variant.fields for variant in self.variants)


@dataclass(frozen=True, slots=True)
class AliasBody:
    """Another name for a type."""

    target: Type


@dataclass(frozen=True, slots=True)
class TypeDefinition:
    """A struct, enum or alias. `may_pad` is set where the memory layout of C applies unchecked."""

    name: str
    body: StructBody | EnumBody | AliasBody
    docs: tuple[str, ...] = ()
    may_pad: bool = False


@dataclass(frozen=True, slots=True)
class ConstSeed:
    """Bytes that are the same in every address."""

    value: bytes


@dataclass(frozen=True, slots=True)
class ArgSeed:
    """An argument, or a field of one."""

    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AccountSeed:
    """The address of an account, or with more than one path segment a field of its data, which is of type `account`."""

    path: tuple[str, ...]
    account: str | None = None


Seed = ConstSeed | ArgSeed | AccountSeed


@dataclass(frozen=True, slots=True)
class Pda:
    """Derivation of an address; without `program` it is one of the IDL's own program."""

    seeds: tuple[Seed, ...]
    program: Seed | None = None


@dataclass(frozen=True, slots=True)
class AccountItem:
    """One account of an instruction; `field` is a dotted path to the field of another account's data that names it."""

    name: str
    writable: bool = False
    signer: bool = False
    optional: bool = False
    address: str | None = None
    field: str | None = None
    pda: Pda | None = None
    relations: tuple[str, ...] = ()
    docs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AccountGroup:
    """A named group of accounts."""

    name: str
    items: tuple[AccountItem | AccountGroup, ...]


@dataclass(frozen=True, slots=True)
class InstructionDefinition:
    """One instruction."""

    name: str
    discriminator: bytes
    accounts: tuple[AccountItem | AccountGroup, ...]
    args: tuple[Field, ...]
    docs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Tagged:
    """An account or an event: the name of its struct and the bytes in front of it."""

    name: str
    discriminator: bytes


@dataclass(frozen=True, slots=True)
class ErrorDefinition:
    """One error code."""

    code: int
    name: str
    message: str


@dataclass(frozen=True, slots=True)
class ConstantDefinition:
    """A constant; `value` is what Rust's Debug prints."""

    name: str
    type: Type
    value: str
    docs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Idl:
    """A whole program."""

    address: str
    name: str
    version: str
    instructions: tuple[InstructionDefinition, ...]
    accounts: tuple[Tagged, ...]
    events: tuple[Tagged, ...]
    errors: tuple[ErrorDefinition, ...]
    types: dict[str, TypeDefinition]
    constants: tuple[ConstantDefinition, ...]

    def struct_of(self, tagged: Tagged) -> TypeDefinition:
        """The struct of an account or event."""
        return self.types[tagged.name]

    def account_names(self) -> frozenset[str]:
        """The names of all account types."""
        return frozenset(account.name for account in self.accounts)


def defined_names(type_: Type) -> Iterator[str]:
    """The defined types that a type mentions directly."""
    match type_:
        case Defined(name):
            yield name
        case Option(inner) | Vec(inner) | Array(inner):
            yield from defined_names(inner)
        case Primitive():
            return


def field_types(definition: TypeDefinition) -> Iterator[Type]:
    """The types of all fields of a definition."""
    match definition.body:
        case StructBody(fields):
            yield from (field.type for field in fields)
        case EnumBody(variants):
            yield from (field.type for variant in variants for field in variant.fields)
        case AliasBody(target):
            yield target
