"""An independent reading of the IDL's types: random plain values, their borsh bytes, and the same values generated.

Plain values are what JSON would hold, but bytes for pubkeys and byte arrays, and (index, fields) for enums.
"""

from __future__ import annotations

import struct
from types import ModuleType
from typing import Any

from hypothesis import strategies as st
from solders.pubkey import Pubkey

FORMATS = {"u8": "B", "i8": "b", "u16": "H", "i16": "h", "u32": "I", "i32": "i", "u64": "Q", "i64": "q"}
FORMATS |= {"f32": "f", "f64": "d", "bool": "?"}
ESCAPED = {"from": "from_", "lambda": "lambda_", "class": "class_", "is": "is_"}
ESCAPED |= {"bytes": "bytes_", "decode": "decode_", "int": "int_"}


class Reference:
    """Packs values of one IDL's types without the code under test."""

    def __init__(self, idl: dict[str, Any]) -> None:
        self.types = {definition["name"]: definition["type"] for definition in idl["types"]}

    def values(self, type_: Any) -> st.SearchStrategy[Any]:
        """Plain values of a type."""
        match type_:
            case "bool":
                return st.booleans()
            case "f32":
                return st.floats(width=32, allow_nan=False)
            case "f64":
                return st.floats(allow_nan=False)
            case "string":
                return st.text(max_size=12)
            case "bytes" | {"vec": "u8"}:
                return st.binary(max_size=12)
            case "pubkey":
                return st.binary(min_size=32, max_size=32)
            case str():
                bits = int(type_[1:])
                if type_[0] == "u":
                    return st.integers(0, 2**bits - 1)
                return st.integers(-(2 ** (bits - 1)), 2 ** (bits - 1) - 1)
            case {"array": ["u8", length]}:
                return st.binary(min_size=length, max_size=length)
            case {"array": [inner, length]}:
                return st.lists(self.values(inner), min_size=length, max_size=length)
            case {"vec": inner}:
                return st.lists(self.values(inner), max_size=4)
            case {"option": inner} | {"coption": inner}:
                return st.none() | self.values(inner)
            case {"defined": {"name": name}}:
                return self.body_values(self.types[name])
        raise AssertionError(type_)

    def body_values(self, body: dict[str, Any]) -> st.SearchStrategy[Any]:
        """Plain values of a defined type."""
        match body:
            case {"kind": "type", "alias": alias}:
                return self.values(alias)
            case {"kind": "struct", "fields": fields}:
                return self.fields_values(fields)
            case {"kind": "enum", "variants": variants}:
                return st.one_of(
                    [
                        st.tuples(st.just(index), self.fields_values(variant.get("fields", [])))
                        for index, variant in enumerate(variants)
                    ]
                )
        raise AssertionError(body)

    def fields_values(self, fields: list[Any]) -> st.SearchStrategy[Any]:
        return st.tuples(*(self.values(field_type(field)) for field in fields))

    def pack(self, type_: Any, value: Any) -> bytes:
        """The borsh bytes of a plain value."""
        match type_:
            case str() if type_ in FORMATS:
                return struct.pack("<" + FORMATS[type_], value)
            case "string":
                return self.pack("bytes", value.encode())
            case "bytes" | {"vec": "u8"}:
                return struct.pack("<I", len(value)) + bytes(value)
            case "pubkey" | {"array": ["u8", _]}:
                return bytes(value)
            case "u128" | "i128":
                return struct.pack("<QQ", value & (2**64 - 1), (value >> 64) & (2**64 - 1))
            case {"array": [inner, _]}:
                return b"".join(self.pack(inner, item) for item in value)
            case {"vec": inner}:
                return struct.pack("<I", len(value)) + b"".join(self.pack(inner, item) for item in value)
            case {"option": inner}:
                return b"\0" if value is None else b"\1" + self.pack(inner, value)
            case {"coption": "pubkey"}:
                return bytes(36) if value is None else b"\1\0\0\0" + bytes(value)
            case {"defined": {"name": name}}:
                return self.pack_body(self.types[name], value)
        raise AssertionError(type_)

    def pack_body(self, body: dict[str, Any], value: Any) -> bytes:
        """The borsh bytes of a defined type's value."""
        match body:
            case {"kind": "type", "alias": alias}:
                return self.pack(alias, value)
            case {"kind": "struct", "fields": fields}:
                return self.pack_fields(fields, value)
            case {"kind": "enum", "variants": variants}:
                index, inner = value
                return struct.pack("B", index) + self.pack_fields(variants[index].get("fields", []), inner)
        raise AssertionError(body)

    def pack_fields(self, fields: list[Any], values: Any) -> bytes:
        return b"".join(self.pack(field_type(field), value) for field, value in zip(fields, values, strict=True))

    def generated(self, types: ModuleType, type_: Any, value: Any) -> Any:
        """The same value in the classes of a generated package."""
        match type_:
            case "pubkey":
                return Pubkey(value)
            case {"option": inner} | {"coption": inner}:
                return None if value is None else self.generated(types, inner, value)
            case {"array": ["u8", _]} | {"vec": "u8"}:
                return value
            case {"array": [inner, _]} | {"vec": inner}:
                return tuple(self.generated(types, inner, item) for item in value)
            case {"defined": {"name": name}}:
                return self.generated_body(types, name, value)
        return value

    def generated_body(self, types: ModuleType, name: str, value: Any) -> Any:
        """A defined type's value in the classes of a generated package."""
        match self.types[name]:
            case {"kind": "type", "alias": alias}:
                return self.generated(types, alias, value)
            case {"kind": "struct", "fields": fields}:
                return getattr(types, name)(**self.generated_fields(types, fields, value))
            case {"kind": "enum", "variants": variants}:
                index, inner = value
                if not any("fields" in variant for variant in variants):
                    return getattr(types, name)(index)
                variant = variants[index]
                fields = self.generated_fields(types, variant.get("fields", []), inner)
                return getattr(types, name + variant["name"])(**fields)
        raise AssertionError(name)

    def generated_fields(self, types: ModuleType, fields: list[Any], values: Any) -> dict[str, Any]:
        return {
            field_name(index, field): self.generated(types, field_type(field), value)
            for index, (field, value) in enumerate(zip(fields, values, strict=True))
        }


def field_type(field: Any) -> Any:
    """The type of a named or unnamed field."""
    return field["type"] if isinstance(field, dict) and "type" in field else field


def field_name(index: int, field: Any) -> str:
    """The Python name of a named or unnamed field."""
    if isinstance(field, dict) and "name" in field:
        name = str(field["name"])
        return ESCAPED.get(name, name)
    return f"field_{index}"
