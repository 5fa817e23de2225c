"""Writes the classes of structs and enums."""

from __future__ import annotations

from collections.abc import Iterable

from anchor_idl.codegen.errors import UnsupportedIdl
from anchor_idl.codegen.idl import (
    AliasBody,
    EnumBody,
    Field,
    Idl,
    StructBody,
    Type,
    TypeDefinition,
    Variant,
    field_types,
)
from anchor_idl.codegen.python.layouts import annotation, check_unpadded, fields_layout, mentioned_classes
from anchor_idl.codegen.python.names import class_name, constant_name, field_name, module_name
from anchor_idl.codegen.python.text import docstring

RUNTIME_IMPORTS = """\
from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from types import MappingProxyType
from typing import ClassVar, TypeAlias

from solders.pubkey import Pubkey

from anchor_idl.runtime import layouts
from anchor_idl.runtime.layouts import Fields
from anchor_idl.runtime.structs import Account, Event, Struct, TaggedUnion
"""


def type_imports(idl: Idl, types: Iterable[Type], package: str) -> str:
    """Imports of the classes that some types mention; `package` is where they live, seen from the module."""
    names = sorted({name for type_ in types for name in mentioned_classes(idl, type_)})
    return "".join(f"from {package}{module_name(name)} import {class_name(name)}\n" for name in names)


def imports_of(idl: Idl, definition: TypeDefinition, package: str) -> str:
    """Imports of the types that a definition's fields mention."""
    return type_imports(idl, field_types(definition), package)


def dataclass_source(idl: Idl, definition: TypeDefinition, base: str, class_variables: str = "") -> str:
    """A struct as a dataclass that derives from `base`."""
    if not isinstance(definition.body, StructBody):
        raise UnsupportedIdl(f"{definition.name} is not a struct")
    check_unpadded(idl, definition)
    return _dataclass(idl, class_name(definition.name), base, definition.body.fields, definition.docs, class_variables)


def type_source(idl: Idl, definition: TypeDefinition) -> str:
    """A struct, enum or alias."""
    match definition.body:
        case StructBody():
            return dataclass_source(idl, definition, "Struct")
        case EnumBody(variants) as body if body.is_unit:
            return _unit_enum(definition, variants)
        case EnumBody(variants):
            return _tagged_union(idl, definition, variants)
        case AliasBody(target):
            return f"{class_name(definition.name)}: TypeAlias = {annotation(idl, target)}\n"


def type_exports(definition: TypeDefinition) -> list[str]:
    """The names that a type's module defines."""
    if isinstance(definition.body, EnumBody) and not definition.body.is_unit:
        return [class_name(definition.name), *(_variant_name(definition, v) for v in definition.body.variants)]
    return [class_name(definition.name)]


def _dataclass(
    idl: Idl, name: str, base: str, fields: tuple[Field, ...], docs: tuple[str, ...], class_variables: str = ""
) -> str:
    names = [field_name(field.name) for field in fields]
    if len(set(names)) != len(names):
        raise UnsupportedIdl(f"two fields of {name} have the same name in Python: {', '.join(names)}")
    lines = [
        "@dataclass(frozen=True, slots=True, repr=False, eq=False)\n",
        f"class {name}({base}):\n",
        docstring(docs) or docstring([f"{name}."]),
        "\n",
        class_variables,
        f"    LAYOUT: ClassVar[Fields] = {fields_layout(idl, fields, growing=base == 'Event')}\n\n",
    ]
    for field in fields:
        lines.append(f"    {field_name(field.name)}: {annotation(idl, field.type)}\n")
        lines.append(docstring(field.docs))
    return "".join(lines)


def _unit_enum(definition: TypeDefinition, variants: tuple[Variant, ...]) -> str:
    name = class_name(definition.name)
    header = f"class {name}(IntEnum):\n{docstring(definition.docs) or docstring([f'{name}.'])}\n"
    return header + "".join(f"    {constant_name(v.name)} = {tag}\n" for tag, v in enumerate(variants))


def _tagged_union(idl: Idl, definition: TypeDefinition, variants: tuple[Variant, ...]) -> str:
    name = class_name(definition.name)
    base = (
        f"class {name}(TaggedUnion):\n{docstring(definition.docs) or docstring([f'{name}: one of its variants.'])}\n"
        "    __slots__ = ()\n"
    )
    classes = [
        _dataclass(idl, _variant_name(definition, variant), name, variant.fields, (f"{name}: {variant.name}.",))
        for variant in variants
    ]
    table = ", ".join(_variant_name(definition, variant) for variant in variants)
    return "\n\n".join([base, *classes, f"{name}.VARIANTS = ({table},)\n"])


def _variant_name(definition: TypeDefinition, variant: Variant) -> str:
    return class_name(definition.name) + class_name(variant.name)
