"""Reads an IDL; every malformed or unsupported part is an UnsupportedIdl that names its place."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

from anchor_idl.codegen.errors import UnsupportedIdl
from anchor_idl.codegen.idl import (
    AccountGroup,
    AccountItem,
    AccountSeed,
    AliasBody,
    ArgSeed,
    Array,
    ConstantDefinition,
    ConstSeed,
    Defined,
    EnumBody,
    ErrorDefinition,
    Field,
    Idl,
    InstructionDefinition,
    Option,
    Pda,
    Primitive,
    Seed,
    StructBody,
    Tagged,
    Type,
    TypeDefinition,
    Variant,
    Vec,
)
from anchor_idl.codegen.paths import without_paths
from anchor_idl.codegen.validate import check_unique, validate

Json = Mapping[str, Any]
Item = TypeVar("Item")

PRIMITIVES = frozenset(
    ["bool", "f32", "f64", "string", "bytes", "pubkey"]
    + [f"{sign}{bits}" for sign in "ui" for bits in (8, 16, 32, 64, 128, 256)]
)


def parse_idl(data: Json) -> Idl:
    """The IDL in a dict; UnsupportedIdl if it is not one of specification 0.1.0 (Anchor 0.30 or later)."""
    metadata = data.get("metadata", {})
    if "spec" not in metadata or "address" not in data:
        raise UnsupportedIdl("metadata.spec or address is missing: the IDL is older than Anchor 0.30")
    data = without_paths(data)
    types = _each(data, "types", _type_definition)
    check_unique("type", (definition.name for definition in types))
    idl = Idl(
        address=data["address"],
        name=str(metadata.get("name", "")),
        version=str(metadata.get("version", "")),
        instructions=_each(data, "instructions", _instruction),
        accounts=_each(data, "accounts", _tagged),
        events=_each(data, "events", _tagged),
        errors=_each(data, "errors", _error),
        types={definition.name: definition for definition in types},
        constants=_each(data, "constants", _constant),
    )
    validate(idl)
    return idl


def parse_type(data: Any) -> Type:
    """One type."""
    match data:
        case str() if data in PRIMITIVES:
            return Primitive(data)
        case {"option": inner}:
            return Option(parse_type(inner))
        case {"coption": inner}:
            return Option(parse_type(inner), padded=True)
        case {"vec": inner}:
            return Vec(parse_type(inner))
        case {"array": [inner, int(length)]}:
            return Array(parse_type(inner), length)
        case {"defined": {"name": str(name), **rest}} if not rest.get("generics"):
            return Defined(name)
        case {"defined": {"generics": _}} | {"generic": _} | {"array": [_, {"generic": _}]}:
            raise UnsupportedIdl(f"generics are not supported: {json.dumps(data)}")
        case _:
            raise UnsupportedIdl(f"unknown type {json.dumps(data)}")


def _each(data: Json, key: str, parse: Callable[[Json], Item]) -> tuple[Item, ...]:
    items = []
    for entry in data.get(key) or ():
        try:
            items.append(parse(entry))
        except UnsupportedIdl as error:
            raise UnsupportedIdl(f"{key}, {_label(entry)}: {error}") from error
        except (KeyError, TypeError, ValueError) as error:
            raise UnsupportedIdl(f"{key}, {_label(entry)}: malformed ({error!r})") from error
    return tuple(items)


def _label(entry: Any) -> str:
    return str(entry.get("name", "?")) if isinstance(entry, Mapping) else repr(entry)


def _docs(data: Json) -> tuple[str, ...]:
    return tuple(data.get("docs", ()))


def _instruction(data: Json) -> InstructionDefinition:
    return InstructionDefinition(
        name=data["name"],
        discriminator=bytes(data["discriminator"]),
        accounts=_each(data, "accounts", _account),
        args=_fields(data["args"]),
        docs=_docs(data),
    )


def _account(data: Json) -> AccountItem | AccountGroup:
    if "accounts" in data:
        return AccountGroup(data["name"], _each(data, "accounts", _account))
    address = data.get("address")
    is_field = address is not None and "." in address  # as Anchor's macro writes it
    return AccountItem(
        name=data["name"],
        writable=data.get("writable", False),
        signer=data.get("signer", False),
        optional=data.get("optional", False),
        address=None if is_field else address,
        field=address if is_field else data.get("field"),
        pda=_pda(data["pda"]) if "pda" in data else None,
        relations=tuple(data.get("relations", ())),
        docs=_docs(data),
    )


def _pda(data: Json) -> Pda:
    return Pda(tuple(_seed(seed) for seed in data["seeds"]), _seed(data["program"]) if "program" in data else None)


def _seed(data: Json) -> Seed:
    match data:
        case {"kind": "const", "value": value}:
            return ConstSeed(bytes(value))
        case {"kind": "arg", "path": str(path)}:
            return ArgSeed(tuple(path.split(".")))
        case {"kind": "account", "path": str(path)}:
            return AccountSeed(tuple(path.split(".")), data.get("account"))
        case _:
            raise UnsupportedIdl(f"unknown seed {json.dumps(data)}")


def _fields(entries: Sequence[Any]) -> tuple[Field, ...]:
    fields = []
    for index, entry in enumerate(entries):
        if isinstance(entry, Mapping) and "name" in entry and "type" in entry:
            fields.append(Field(entry["name"], parse_type(entry["type"]), _docs(entry)))
        else:
            fields.append(Field(f"field_{index}", parse_type(entry)))
    return tuple(fields)


def _type_definition(data: Json) -> TypeDefinition:
    if data.get("generics"):
        raise UnsupportedIdl("generics are not supported")
    repr_ = data.get("repr", {})
    serialization = data.get("serialization", "borsh")
    if serialization not in ("borsh", "bytemuck", "bytemuckunsafe"):
        raise UnsupportedIdl(f"unknown serialization {json.dumps(serialization)}")
    unchecked = serialization == "bytemuckunsafe" or repr_.get("align") is not None
    return TypeDefinition(
        name=data["name"],
        body=_body(data["type"]),
        docs=_docs(data),
        may_pad=serialization != "borsh" and unchecked and not repr_.get("packed", False),
    )


def _body(data: Json) -> StructBody | EnumBody | AliasBody:
    match data["kind"]:
        case "struct":
            return StructBody(_fields(data.get("fields") or ()))
        case "enum":
            return EnumBody(tuple(Variant(v["name"], _fields(v.get("fields") or ())) for v in data["variants"]))
        case "type":
            return AliasBody(parse_type(data["alias"]))
        case kind:
            raise UnsupportedIdl(f"unknown kind of type {kind!r}")


def _tagged(data: Json) -> Tagged:
    return Tagged(data["name"], bytes(data["discriminator"]))


def _error(data: Json) -> ErrorDefinition:
    return ErrorDefinition(data["code"], data["name"], data.get("msg", data["name"]))


def _constant(data: Json) -> ConstantDefinition:
    return ConstantDefinition(data["name"], parse_type(data["type"]), data["value"], _docs(data))
