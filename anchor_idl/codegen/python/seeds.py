"""Source of a seed's value in an instruction, and its conversion to bytes."""

from __future__ import annotations

from dataclasses import dataclass

from anchor_idl.codegen.errors import UnsupportedIdl
from anchor_idl.codegen.idl import (
    AccountSeed,
    ArgSeed,
    Array,
    ConstSeed,
    Defined,
    EnumBody,
    Idl,
    Primitive,
    Seed,
    Type,
    Vec,
)
from anchor_idl.codegen.python.layouts import U8, resolve
from anchor_idl.codegen.python.names import field_name
from anchor_idl.codegen.python.scope import FlatAccount, InstructionScope, field_type

PUBKEY = Primitive("pubkey")


@dataclass(frozen=True, slots=True)
class SeedValue:
    """A value for a seed: its expression in the instruction's function, its type, and what must be known for it.

    `account` is the parameter of an address, `data` the account whose data holds the value.
    """

    name: str
    expression: str
    type: Type
    account: FlatAccount | None = None
    data: FlatAccount | None = None


def data_parameter(account: FlatAccount) -> str:
    """The parameter that takes an account's data."""
    return f"{account.parameter.rstrip('_')}_data"


def seed_value(scope: InstructionScope, near: FlatAccount, seed: Seed) -> SeedValue | None:
    """The value of a seed; None if it is in the data of an account whose layout the IDL does not give."""
    match seed:
        case ConstSeed():
            raise UnsupportedIdl("a constant seed has no value to look up")
        case ArgSeed(path):
            type_ = scope.argument_type(path)
            expression = ".".join((scope.args[path[0]], *map(field_name, path[1:])))
            return SeedValue("_".join(path), expression, type_)
        case AccountSeed(path):
            return account_value(scope, near, path)


def account_value(scope: InstructionScope, near: FlatAccount, path: tuple[str, ...]) -> SeedValue | None:
    """An account's address, or with a longer path a field of its data."""
    account, fields = _split(scope, near, path)
    if not fields:
        return SeedValue(account.item.name, account.parameter, PUBKEY, account=account)
    kind = scope.data_type(account)
    if kind is None:
        return None
    type_ = field_type(scope.idl, Defined(kind), fields)
    expression = ".".join((data_parameter(account), *map(field_name, fields)))
    return SeedValue("_".join(fields), expression, type_, data=account)


def _split(scope: InstructionScope, near: FlatAccount, path: tuple[str, ...]) -> tuple[FlatAccount, tuple[str, ...]]:
    for length in range(len(path), 0, -1):
        try:
            return scope.account(".".join(path[:length]), near), path[length:]
        except UnsupportedIdl:
            if length == 1:
                raise
    raise UnsupportedIdl(f"{near.name} has a seed without a path")


def seed_bytes(idl: Idl, type_: Type, expression: str) -> str:
    """The expression of a seed's bytes."""
    match resolve(idl, type_):
        case Primitive("pubkey"):
            return f"bytes({expression})"
        case Primitive("string"):
            return f"{expression}.encode()"
        case Primitive("bytes"):
            return expression
        case Array(inner) | Vec(inner) if resolve(idl, inner) == U8:
            return expression
        case Primitive("bool"):
            return f"bytes([{expression}])"
        case Primitive(name) if name[0] == "u":
            return f'{expression}.to_bytes({int(name[1:]) // 8}, "little")'
        case Primitive(name) if name[0] == "i":
            return f'{expression}.to_bytes({int(name[1:]) // 8}, "little", signed=True)'
        case Defined(name) if isinstance(body := idl.types[name].body, EnumBody) and body.is_unit:
            return f"bytes([{expression}])"
        case other:
            raise UnsupportedIdl(f"a value of type {other} cannot be a seed")
