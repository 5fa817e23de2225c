"""Construct layouts of the IDL's types: borsh, which for types without padding is also their memory layout."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import IntEnum
from struct import Struct as PackedStruct
from struct import error as StructError
from typing import TYPE_CHECKING, Any

import construct
from construct import Construct
from solders.pubkey import Pubkey

if TYPE_CHECKING:
    from anchor_idl.runtime.structs import Struct, TaggedUnion

    Layout = Construct[Any, Any]
    _Adapter = construct.Adapter[Any, Any, Any, Any]
else:
    Layout = Construct
    _Adapter = construct.Adapter

U8: Layout = construct.Int8ul
U16: Layout = construct.Int16ul
U32: Layout = construct.Int32ul
U64: Layout = construct.Int64ul
U128: Layout = construct.BytesInteger(16, swapped=True)
U256: Layout = construct.BytesInteger(32, swapped=True)
I8: Layout = construct.Int8sl
I16: Layout = construct.Int16sl
I32: Layout = construct.Int32sl
I64: Layout = construct.Int64sl
I128: Layout = construct.BytesInteger(16, signed=True, swapped=True)
I256: Layout = construct.BytesInteger(32, signed=True, swapped=True)
F32: Layout = construct.Float32l
F64: Layout = construct.Float64l
BYTES: Layout = construct.Prefixed(U32, construct.GreedyBytes)
STRING: Layout = construct.PascalString(U32, "utf8")


def byte_array(length: int) -> Layout:
    """Exactly `length` raw bytes."""
    return _ExactBytes(construct.Bytes(length))


class _ExactBytes(_Adapter):
    """construct.Bytes also takes integers; this takes nothing but bytes."""

    def _decode(self, obj: bytes, context: Any, path: str) -> bytes:
        return obj

    def _encode(self, obj: bytes, context: Any, path: str) -> bytes:
        return bytes(memoryview(obj))


class _PubkeyLayout(_Adapter):
    def _decode(self, obj: bytes, context: Any, path: str) -> Pubkey:
        return Pubkey(obj)

    def _encode(self, obj: Pubkey, context: Any, path: str) -> bytes:
        return bytes(obj)


class _BoolLayout(_Adapter):
    def _decode(self, obj: int, context: Any, path: str) -> bool:
        if obj > 1:
            raise construct.MappingError(f"a flag is 0 or 1, not {obj}", path=path)
        return obj == 1

    def _encode(self, obj: bool, context: Any, path: str) -> int:
        return int(obj)


PUBKEY: Layout = _PubkeyLayout(construct.Bytes(32))
BOOL: Layout = _BoolLayout(U8)


class OptionLayout(Layout):
    """One tag byte, then the value if there is one."""

    def __init__(self, inner: Layout) -> None:
        super().__init__()
        self.inner = inner

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        present = BOOL._parsereport(stream, context, path)
        return self.inner._parsereport(stream, context, path) if present else None

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        BOOL._build(obj is not None, stream, context, path)
        if obj is not None:
            self.inner._build(obj, stream, context, path)
        return obj

    def _sizeof(self, context: Any, path: str) -> int:
        raise construct.SizeofError("an option has no fixed size", path=path)


class COptionLayout(Layout):
    """Four tag bytes, then always room for the value."""

    def __init__(self, inner: Layout) -> None:
        super().__init__()
        self.inner = inner

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        tag = U32._parsereport(stream, context, path)
        if tag > 1:
            raise construct.MappingError(f"an option's tag is 0 or 1, not {tag}", path=path)
        if tag:
            return self.inner._parsereport(stream, context, path)
        construct.stream_read(stream, self.inner.sizeof(), path)
        return None

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        U32._build(int(obj is not None), stream, context, path)
        if obj is None:
            construct.stream_write(stream, bytes(self.inner.sizeof()), self.inner.sizeof(), path)
        else:
            self.inner._build(obj, stream, context, path)
        return obj

    def _sizeof(self, context: Any, path: str) -> int:
        return 4 + self.inner._sizeof(context, path)


class _TupleLayout(_Adapter):
    def _decode(self, obj: Any, context: Any, path: str) -> tuple[Any, ...]:
        return tuple(obj)

    def _encode(self, obj: Any, context: Any, path: str) -> list[Any]:
        return list(obj)


def array(length: int, inner: Layout) -> Layout:
    """Exactly `length` values, as a tuple."""
    return _TupleLayout(construct.Array(length, inner))


def vec(inner: Layout) -> Layout:
    """A u32 count, then the values, as a tuple."""
    return _TupleLayout(construct.PrefixedArray(U32, inner))


class _UnitEnumLayout(_Adapter):
    def __init__(self, enum: type[IntEnum]) -> None:
        super().__init__(U8)
        self.enum = enum

    def _decode(self, obj: int, context: Any, path: str) -> IntEnum:
        try:
            return self.enum(obj)
        except ValueError as error:
            raise construct.MappingError(str(error), path=path) from error

    def _encode(self, obj: int, context: Any, path: str) -> int:
        return self._decode(obj, context, path).value


def unit_enum(enum: type[IntEnum]) -> Layout:
    """One byte that names a member of `enum`."""
    return _UnitEnumLayout(enum)


_Fixed = tuple[str, Callable[[Any], Any] | None]
"""A code of Python's struct module, and what to make of the value that it reads."""


class _Head:
    """Fields of fixed size, up to the first that has none, read at once."""

    def __init__(self, layouts: Mapping[str, Layout]) -> None:
        self.fixed: dict[str, _Fixed] = {}
        for name, layout in layouts.items():
            fixed = _fixed(layout)
            if fixed is None:
                break
            self.fixed[name] = fixed
        self.packed = PackedStruct("<" + "".join(code for code, _ in self.fixed.values()))

    def read(self, stream: Any) -> dict[str, Any]:
        """Their values; none, and nothing is read, if there is a wrong one: read one by one, it gets its name."""
        start = stream.tell()
        try:
            packed = self.packed.unpack(stream.read(self.packed.size))
            return {
                name: value if convert is None else convert(value)
                for (name, (_, convert)), value in zip(self.fixed.items(), packed, strict=True)
            }
        except (StructError, ValueError, IndexError):
            stream.seek(start)
            return {}


def _fixed(layout: Layout) -> _Fixed | None:
    """How to read a layout with the struct module; None if it has no code for it."""
    if isinstance(layout, _UnitEnumLayout):
        return "B", layout.enum
    if isinstance(layout, _ExactBytes):
        return f"{layout.sizeof()}s", None
    return _CODES.get(layout)


_CODES: Mapping[Layout, _Fixed] = {
    U8: ("B", None),
    U16: ("H", None),
    U32: ("I", None),
    U64: ("Q", None),
    I8: ("b", None),
    I16: ("h", None),
    I32: ("i", None),
    I64: ("q", None),
    PUBKEY: ("32s", Pubkey),
    BOOL: ("B", (False, True).__getitem__),
}


class Fields(Layout):
    """Named values one after the other; parses to a dict and builds from a mapping."""

    def __init__(self, /, **layouts: Layout) -> None:
        super().__init__()
        self.layouts: Mapping[str, Layout] = layouts
        self.head = _Head(layouts)

    def _parse(self, stream: Any, context: Any, path: str) -> dict[str, Any]:
        values = self.head.read(stream)
        for name, layout in self.layouts.items():
            if name not in values:
                values[name] = layout._parsereport(stream, context, f"{path} -> {name}")
        return values

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        for name, layout in self.layouts.items():
            layout._build(obj[name], stream, context, f"{path} -> {name}")
        return obj

    def _sizeof(self, context: Any, path: str) -> int:
        return sum(layout._sizeof(context, path) for layout in self.layouts.values())


class GrowingFields(Layout):
    """Fields that may end early: an optional field that the data ends before is None."""

    def __init__(self, fields: Fields) -> None:
        super().__init__()
        self.fields = fields

    def _parse(self, stream: Any, context: Any, path: str) -> dict[str, Any]:
        values = self.fields.head.read(stream)
        for name, layout in self.fields.layouts.items():
            if name in values:
                continue
            if isinstance(layout, OptionLayout) and construct.stream_iseof(stream):
                values[name] = None
            else:
                values[name] = layout._parsereport(stream, context, f"{path} -> {name}")
        return values

    def _sizeof(self, context: Any, path: str) -> int:
        raise construct.SizeofError("fields that may end early have no fixed size", path=path)


class _StructLayout(_Adapter):
    def __init__(self, struct: type[Struct]) -> None:
        super().__init__(struct.LAYOUT)
        self.struct = struct

    def _decode(self, obj: dict[str, Any], context: Any, path: str) -> Struct:
        return self.struct(**obj)

    def _encode(self, obj: Struct, context: Any, path: str) -> Mapping[str, Any]:
        return obj.field_values()


def struct(struct_type: type[Struct]) -> Layout:
    """A generated dataclass inside another layout."""
    return _StructLayout(struct_type)


class _TaggedUnionLayout(Layout):
    def __init__(self, union: type[TaggedUnion]) -> None:
        super().__init__()
        self.union = union

    def _parse(self, stream: Any, context: Any, path: str) -> TaggedUnion:
        tag = U8._parsereport(stream, context, path)
        variants = self.union.variants()
        if tag >= len(variants):
            raise construct.MappingError(f"{self.union.__name__} has no variant {tag}", path=path)
        return variants[tag](**variants[tag].LAYOUT._parsereport(stream, context, path))

    def _build(self, obj: TaggedUnion, stream: Any, context: Any, path: str) -> Any:
        if not isinstance(obj, self.union):
            raise construct.MappingError(f"{obj!r} is no variant of {self.union.__name__}", path=path)
        U8._build(self.union.variants().index(type(obj)), stream, context, path)
        obj.LAYOUT._build(obj.field_values(), stream, context, path)
        return obj

    def _sizeof(self, context: Any, path: str) -> int:
        raise construct.SizeofError("a tagged union has no fixed size", path=path)


def tagged_union(union: type[TaggedUnion]) -> Layout:
    """One tag byte, then the fields of the variant it names."""
    return _TaggedUnionLayout(union)
