"""One value of each type of an IDL, in the classes generated for it; numbers are random but the same in every run."""

from __future__ import annotations

import dataclasses
import enum
import random
from types import ModuleType
from typing import Any

from solders.pubkey import Pubkey

from anchor_idl.codegen.python.names import field_name


class Samples:
    """Makes values for one IDL."""

    def __init__(self, idl: dict[str, Any], types: ModuleType) -> None:
        self._definitions = {definition["name"]: definition["type"] for definition in idl["types"]}
        self._types = types
        self._random = random.Random(idl["address"])

    def fields(self, name: str) -> dict[str, Any]:
        """Values for the fields of a struct."""
        return {field_name(f["name"]): self.value(f["type"]) for f in self._definitions[name]["fields"]}

    def value(self, type_: Any) -> Any:
        """A value of a type."""
        match type_:
            case "bool":
                return self._random.random() < 0.5
            case "f32" | "f64":
                return self._random.randrange(1000) / 8
            case "string":
                return f"name {self._random.randrange(1000)} é"
            case "pubkey":
                return Pubkey(self._random.randbytes(32))
            case "bytes" | {"vec": "u8"}:
                return self._random.randbytes(5)
            case str():
                bits = int(type_[1:])
                return self._random.randrange(2**bits) - (2 ** (bits - 1) if type_[0] == "i" else 0)
            case {"array": ["u8", length]}:
                return self._random.randbytes(length)
            case {"array": [inner, length]}:
                return tuple(self.value(inner) for _ in range(length))
            case {"vec": inner}:
                return tuple(self.value(inner) for _ in range(3))
            case {"option": inner}:
                return self.value(inner) if self._random.random() < 0.7 else None
            case {"defined": {"name": name}}:
                return self._defined(name)
        raise AssertionError(type_)

    def _defined(self, name: str) -> Any:
        body = self._definitions[name]
        if body["kind"] == "type":
            return self.value(body["alias"])
        kind = getattr(self._types, name)
        if body["kind"] == "struct":
            return kind(**self.fields(name))
        if issubclass(kind, enum.IntEnum):
            return self._random.choice(list(kind))
        index = self._random.choice([i for i, each in enumerate(body["variants"]) if not self._holds_addresses(each)])
        types = _types_of(body["variants"][index])
        names = [field.name for field in dataclasses.fields(kind.VARIANTS[index])]
        return kind.VARIANTS[index](**dict(zip(names, map(self.value, types), strict=True)))

    def _holds_addresses(self, variant: dict[str, Any]) -> bool:
        """True for a struct with an address inside a variant, which anchorpy 0.21.0 cannot encode."""
        types = _types_of(variant)
        named = [type_["defined"]["name"] for type_ in types if isinstance(type_, dict) and "defined" in type_]
        structs = [body for body in map(self._definitions.__getitem__, named) if body["kind"] == "struct"]
        return any(field["type"] == "pubkey" for body in structs for field in body["fields"])


def plain(value: Any) -> Any:
    """A generated value as JSON: addresses as base58, bytes as lists, variants as [index, fields]."""
    if isinstance(value, Pubkey):
        return str(value)
    if isinstance(value, enum.IntEnum):
        return [value.value, []]
    if hasattr(value, "VARIANTS"):
        return [value.VARIANTS.index(type(value)), [plain(item) for item in value.field_values().values()]]
    if dataclasses.is_dataclass(value):
        return {field.name: plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if isinstance(value, bytes | tuple | list):
        return [plain(item) for item in value]
    return value


def _types_of(variant: dict[str, Any]) -> list[Any]:
    fields = variant.get("fields", [])
    return [field["type"] if isinstance(field, dict) and "type" in field else field for field in fields]
