"""Construct layouts of the IDL's types: borsh, which for types without padding is also their memory layout."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import IntEnum
from functools import partial
from io import BytesIO
from itertools import takewhile
from struct import Struct as PackedStruct
from struct import error as StructError
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, cast

import construct
from construct import Construct
from solders.pubkey import Pubkey

if TYPE_CHECKING:
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


class Converted(_Adapter):
    """A layout whose values `read` turns into those of the field, and `write` back; both refuse with ValueError."""

    def __init__(self, inner: Layout, read: Callable[[Any], Any], write: Callable[[Any], Any]) -> None:
        super().__init__(inner)
        self.read = read
        self.write = write

    def _decode(self, obj: Any, context: Any, path: str) -> Any:
        try:
            return self.read(obj)
        except ValueError as error:
            raise construct.MappingError(str(error), path=path) from error

    def _encode(self, obj: Any, context: Any, path: str) -> Any:
        return self.write(obj)


def _flag(byte: int) -> bool:
    if byte > 1:
        raise ValueError(f"a flag is 0 or 1, not {byte}")
    return byte == 1


PUBKEY: Layout = Converted(construct.Bytes(32), Pubkey, bytes)
BOOL: Layout = Converted(U8, _flag, int)


def byte_array(length: int) -> Layout:
    """Exactly `length` raw bytes; construct.Bytes also takes integers, this nothing but bytes."""
    return Converted(construct.Bytes(length), bytes, lambda value: bytes(memoryview(value)))


def array(length: int, inner: Layout) -> Layout:
    """Exactly `length` values, as a tuple."""
    return Converted(construct.Array(length, inner), tuple, list)


class VecLayout(Converted):
    """A u32 count, then the values, as a tuple."""

    def __init__(self, item: Layout) -> None:
        super().__init__(construct.PrefixedArray(U32, item), tuple, list)
        self.item = item


def vec(inner: Layout) -> Layout:
    """A u32 count, then the values, as a tuple."""
    return VecLayout(inner)


def unit_enum(enum: type[IntEnum]) -> Layout:
    """One byte that names a member of `enum`."""
    return Converted(U8, enum, lambda value: enum(value).value)


class LayoutRecord(Protocol):
    """A generated dataclass: fields laid out by LAYOUT."""

    LAYOUT: ClassVar[Fields]

    def __init__(self, **values: Any) -> None: ...

    def field_values(self) -> dict[str, Any]:
        """The fields by name."""


class Union(Protocol):
    """A generated enum with fields."""

    @classmethod
    def variants(cls) -> tuple[type[LayoutRecord], ...]:
        """The variants in the order of their tags."""


def struct(struct_type: type[LayoutRecord]) -> Layout:
    """A generated dataclass inside another layout."""
    return Converted(struct_type.LAYOUT, lambda values: struct_type(**values), lambda value: value.field_values())


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


class NewerOptionLayout(OptionLayout):
    """An option that older data ends before: there it is None."""

    def _parse(self, stream: Any, context: Any, path: str) -> Any:
        if construct.stream_iseof(stream):
            return None
        return super()._parse(stream, context, path)


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


class Fields(Layout):
    """Named values one after the other; parses to a dict and builds from a mapping.

    The leading fields of fixed size are read at once, by a code of Python's struct module that follows from their
    layouts, and the others by readers that follow from theirs. Where one of them has a wrong value all are read one by
    one, so that the error names the field.
    """

    def __init__(self, /, **layouts: Layout) -> None:
        super().__init__()
        self.layouts: Mapping[str, Layout] = layouts
        packed = cast("list[_Packed]", list(takewhile(bool, map(_packed, layouts.values()))))
        self._head = PackedStruct("<" + "".join(code for code, _ in packed))
        self._converted = [(index, read) for index, (_, read) in enumerate(packed) if read is not None]
        self._tail = [_reader(layout) for layout in list(layouts.values())[len(packed) :]]

    def parse(self, data: Any, **contextkw: Any) -> dict[str, Any]:
        """The values at the start of `data`."""
        try:
            return dict(zip(self.layouts, self.unpack(data, 0)[0], strict=True))
        except WRONG:
            return cast("dict[str, Any]", super().parse(data, **contextkw))

    def unpack(self, data: bytes, start: int) -> tuple[list[Any], int]:
        """The values that begin at `start`, and where they end; one of WRONG if they cannot be read."""
        values = list(self._head.unpack_from(data, start))
        for index, convert in self._converted:
            values[index] = convert(values[index])
        end = start + self._head.size
        for read in self._tail:
            value, end = read(data, end)
            values.append(value)
        return values, end

    def read(self, data: bytes, start: int) -> tuple[dict[str, Any], int]:
        """The values by name, and where they end; as `unpack`."""
        values, end = self.unpack(data, start)
        return dict(zip(self.layouts, values, strict=True)), end

    def packed(self) -> _Packed | None:
        """Code and conversion to read all fields at once, as bytes of another layout; None if one has no fixed size."""
        if self._tail:
            return None
        return (f"{self._head.size}s", lambda data: self.read(data, 0)[0])

    def _parse(self, stream: Any, context: Any, path: str) -> dict[str, Any]:
        layouts = self.layouts.items()
        return {name: layout._parsereport(stream, context, f"{path} -> {name}") for name, layout in layouts}

    def _build(self, obj: Any, stream: Any, context: Any, path: str) -> Any:
        for name, layout in self.layouts.items():
            layout._build(obj[name], stream, context, f"{path} -> {name}")
        return obj

    def _sizeof(self, context: Any, path: str) -> int:
        return sum(layout._sizeof(context, path) for layout in self.layouts.values())


WRONG = (StructError, ValueError, IndexError, construct.ConstructError)
"""Errors that reading a wrong value can raise; UnicodeDecodeError is a ValueError."""

_Packed = tuple[str, Callable[[Any], Any] | None]
"""A code of Python's struct module, and the conversion of the value that it reads."""


def _packed(layout: Layout) -> _Packed | None:
    """Code and conversion to read a layout at once; None if it has no fixed size."""
    match layout:
        case construct.FormatField():
            return layout.fmtstr[-1], None
        case construct.Bytes():
            return f"{layout.length}s", None
        case construct.BytesInteger():
            return f"{layout.length}s", partial(int.from_bytes, byteorder="little", signed=layout.signed)
        case construct.Array():
            return _packed_array(layout.count, layout.subcon)
        case Fields():
            return layout.packed()
        case Converted():
            inner = _packed(layout.subcon)
            return inner and (inner[0], layout.read if inner[1] is None else _both(inner[1], layout.read))
    return None


def _packed_array(count: Any, item: Layout) -> _Packed | None:
    entry = _packed(item)
    if entry is None:
        return None
    code, read = entry
    packed = PackedStruct("<" + code * count)
    return f"{packed.size}s", lambda data: packed.unpack(data) if read is None else map(read, packed.unpack(data))


def _both(first: Callable[[Any], Any], then: Callable[[Any], Any]) -> Callable[[Any], Any]:
    return lambda value: then(first(value))


_Reader = Callable[[bytes, int], tuple[Any, int]]
"""Reads a layout's value at an offset, and returns it with the offset of its end; raises one of WRONG if it cannot."""


def _reader(layout: Layout) -> _Reader:
    """Reader of a layout, without a stream where that is possible."""
    packed = _packed(layout)
    if packed is not None:
        return partial(_read_packed, PackedStruct("<" + packed[0]), packed[1])
    if layout is BYTES:
        return _read_bytes
    match layout:
        case Fields():
            return layout.read
        case VecLayout():
            return partial(_read_vec, _reader(layout.item))
        case Converted():
            return partial(_read_converted, _reader(layout.subcon), layout.read)
    return partial(_read_streamed, layout)


def _read_packed(code: PackedStruct, convert: Callable[[Any], Any] | None, data: bytes, start: int) -> tuple[Any, int]:
    (value,) = code.unpack_from(data, start)
    return value if convert is None else convert(value), start + code.size


def _read_bytes(data: bytes, start: int) -> tuple[bytes, int]:
    (length,) = _LENGTH.unpack_from(data, start)
    begin = start + _LENGTH.size
    value = data[begin : begin + length]
    if len(value) < length:
        raise ValueError(f"{length} bytes are said and {len(value)} there")
    return bytes(value), begin + length


def _read_vec(read: _Reader, data: bytes, start: int) -> tuple[tuple[Any, ...], int]:
    (count,) = _LENGTH.unpack_from(data, start)
    end = start + _LENGTH.size
    values = []
    for _ in range(count):
        value, end = read(data, end)
        values.append(value)
    return tuple(values), end


def _read_converted(read: _Reader, convert: Callable[[Any], Any], data: bytes, start: int) -> tuple[Any, int]:
    value, end = read(data, start)
    return convert(value), end


def _read_streamed(layout: Layout, data: bytes, start: int) -> tuple[Any, int]:
    stream = BytesIO(data)
    stream.seek(start)
    return layout.parse_stream(stream), stream.tell()


_LENGTH = PackedStruct("<I")


class _TaggedUnionLayout(Layout):
    def __init__(self, union: type[Union]) -> None:
        super().__init__()
        self.union = union

    def _parse(self, stream: Any, context: Any, path: str) -> LayoutRecord:
        tag = U8._parsereport(stream, context, path)
        variants = self.union.variants()
        if tag >= len(variants):
            raise construct.MappingError(f"{self.union.__name__} has no variant {tag}", path=path)
        return variants[tag](**variants[tag].LAYOUT._parsereport(stream, context, path))

    def _build(self, obj: LayoutRecord, stream: Any, context: Any, path: str) -> Any:
        if not isinstance(obj, self.union):
            raise construct.MappingError(f"{obj!r} is not a variant of {self.union.__name__}", path=path)
        U8._build(self.union.variants().index(type(obj)), stream, context, path)
        obj.LAYOUT._build(obj.field_values(), stream, context, path)
        return obj

    def _sizeof(self, context: Any, path: str) -> int:
        raise construct.SizeofError("a tagged union has no fixed size", path=path)


def tagged_union(union: type[Union]) -> Layout:
    """One tag byte, then the fields of the variant it names."""
    return _TaggedUnionLayout(union)
