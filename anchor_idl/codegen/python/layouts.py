"""Python form of an IDL type: its annotation, its layout and its size in bytes."""

from __future__ import annotations

from collections.abc import Iterator

from anchor_idl.codegen.errors import UnsupportedIdl
from anchor_idl.codegen.idl import (
    AliasBody,
    Array,
    Defined,
    EnumBody,
    Field,
    Idl,
    Option,
    Primitive,
    StructBody,
    Type,
    TypeDefinition,
    Vec,
)
from anchor_idl.codegen.python.names import class_name, field_name

U8 = Primitive("u8")
_SIZES = {"bool": 1, "f32": 4, "f64": 8, "pubkey": 32}
_ANNOTATIONS = {"bool": "bool", "f32": "float", "f64": "float", "string": "str", "bytes": "bytes", "pubkey": "Pubkey"}


def resolve(idl: Idl, type_: Type) -> Type:
    """The type with aliases resolved."""
    while isinstance(type_, Defined):
        body = idl.types[type_.name].body
        if not isinstance(body, AliasBody):
            return type_
        type_ = body.target
    return type_


def mentioned_classes(idl: Idl, type_: Type) -> Iterator[str]:
    """The structs and enums that a type's annotation and layout name, aliases seen through."""
    match resolve(idl, type_):
        case Defined(name):
            yield name
        case Option(inner) | Vec(inner) | Array(inner):
            yield from mentioned_classes(idl, inner)
        case Primitive():
            return


def annotation(idl: Idl, type_: Type, *, sequences: str = "tuple") -> str:
    """The annotation of a value; `sequences` is "tuple" for what is decoded, "Sequence" for what callers pass."""
    match resolve(idl, type_):
        case Primitive(name):
            return _ANNOTATIONS.get(name, "int")
        case Option(inner):
            return f"{annotation(idl, inner, sequences=sequences)} | None"
        case Vec(inner) | Array(inner) if resolve(idl, inner) == U8:
            return "bytes"
        case Vec(inner) | Array(inner):
            item = annotation(idl, inner)
            return f"tuple[{item}, ...]" if sequences == "tuple" else f"Sequence[{item}]"
        case Defined(name):
            return class_name(name)


def layout(idl: Idl, type_: Type, *, newer: bool = False) -> str:
    """The expression of a type's layout; a `newer` option may be missing from older data."""
    match resolve(idl, type_):
        case Primitive(name):
            return f"layouts.{name.upper()}"
        case Option(inner, padded):
            if padded:
                name = "COption"
            elif newer:
                name = "NewerOption"
            else:
                name = "Option"
            return f"layouts.{name}Layout({layout(idl, inner)})"
        case Vec(inner) if resolve(idl, inner) == U8:
            return "layouts.BYTES"
        case Array(inner, length) if resolve(idl, inner) == U8:
            return f"layouts.byte_array({length})"
        case Vec(inner):
            return f"layouts.vec({layout(idl, inner)})"
        case Array(inner, length):
            return f"layouts.array({length}, {layout(idl, inner)})"
        case Defined(name):
            return f"layouts.{_defined_layout(idl.types[name])}({class_name(name)})"


def fields_layout(idl: Idl, fields: tuple[Field, ...], *, growing: bool = False) -> str:
    """The expression of the layout of several fields; where they are `growing`, older data may lack the options."""
    entries = [f"{field_name(f.name)}={layout(idl, f.type, newer=growing)}" for f in fields]
    return f"Fields({', '.join(entries)})"


def fixed_size(idl: Idl, type_: Type) -> int | None:
    """Size of a value in bytes; None if it varies."""
    match resolve(idl, type_):
        case Primitive("string" | "bytes") | Vec():
            return None
        case Primitive(name):
            return _SIZES[name] if name in _SIZES else int(name[1:]) // 8
        case Option(inner, padded):
            size = fixed_size(idl, inner)
            return 4 + size if padded and size is not None else None
        case Array(inner, length):
            size = fixed_size(idl, inner)
            return None if size is None else size * length
        case Defined(name):
            body = idl.types[name].body
            if isinstance(body, EnumBody):
                return 1 if body.is_unit else None
            return fields_size(idl, body.fields) if isinstance(body, StructBody) else None


def fields_size(idl: Idl, fields: tuple[Field, ...]) -> int | None:
    """Size of some fields together in bytes; None if it varies."""
    sizes = [fixed_size(idl, field.type) for field in fields]
    return None if None in sizes else sum(size for size in sizes if size is not None)


def offsets(idl: Idl, fields: tuple[Field, ...], start: int) -> dict[str, int]:
    """The offset of each field, up to and including the first of variable size; names of nested fields are dotted."""
    found: dict[str, int] = {}
    position = start
    for field in fields:
        name = field_name(field.name)
        found[name] = position
        inner = resolve(idl, field.type)
        body = idl.types[inner.name].body if isinstance(inner, Defined) else None
        if isinstance(body, StructBody):
            found |= {f"{name}.{key}": value for key, value in offsets(idl, body.fields, position).items()}
        size = fixed_size(idl, inner)
        if size is None:
            break
        position += size
    return found


def check_unpadded(idl: Idl, definition: TypeDefinition) -> None:
    """UnsupportedIdl if the memory layout of C would put padding into a struct that is read without."""
    if not definition.may_pad or not isinstance(definition.body, StructBody):
        return
    position = 0
    widest = 1
    for field in definition.body.fields:
        size = fixed_size(idl, field.type)
        alignment = _alignment(idl, field.type)
        if size is None or position % alignment:
            raise UnsupportedIdl(f"{definition.name}.{field.name} is not where a layout without padding has it")
        position += size
        widest = max(widest, alignment)
    if position % widest:
        raise UnsupportedIdl(f"{definition.name} ends with padding")


def _alignment(idl: Idl, type_: Type) -> int:
    match resolve(idl, type_):
        case Primitive("pubkey" | "bool" | "string" | "bytes"):
            return 1
        case Primitive(name):
            return min(int(name[1:]) // 8, 16)
        case Array(inner) | Option(inner) | Vec(inner):
            return _alignment(idl, inner)
        case Defined(name):
            body = idl.types[name].body
            inner_fields = body.fields if isinstance(body, StructBody) else ()
            return max((_alignment(idl, field.type) for field in inner_fields), default=1)


def _defined_layout(definition: TypeDefinition) -> str:
    if isinstance(definition.body, EnumBody):
        return "unit_enum" if definition.body.is_unit else "tagged_union"
    return "struct"
