"""Python names for the IDL's: snake_case, PascalCase, and never a name that already means something."""

from __future__ import annotations

import keyword
import re

from anchor_idl.codegen.errors import UnsupportedIdl

_BUILTINS = frozenset(["bool", "bytes", "dict", "float", "frozenset", "int", "object", "str", "tuple", "type"])
_METHODS = frozenset(["cls", "decode", "encode", "field_values", "self"])
_PARAMETERS = frozenset(["program_id", "remaining_accounts", "layouts"])
_CLASSES = frozenset(
    {
        "Account",
        "AccountMeta",
        "ClassVar",
        "DecodedInstruction",
        "Event",
        "Fields",
        "Final",
        "FrameworkError",
        "IdlError",
        "Instruction",
        "InstructionSpec",
        "IntEnum",
        "Mapping",
        "MappingProxyType",
        "MissingAccount",
        "ProgramError",
        "Pubkey",
        "Self",
        "Sequence",
        "Struct",
        "TaggedUnion",
        "TypeAlias",
        "UndecodableEvent",
        "UnknownAccount",
        "UnknownEvent",
        "UnknownInstruction",
        "UnknownProgramError",
    }
)


def snake(name: str) -> str:
    """`openRental`, `OpenRental` and `open_rental` as open_rental."""
    parts = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return re.sub(r"([a-z\d])([A-Z])", r"\1_\2", parts).lower()


def pascal(name: str) -> str:
    """`open_rental` as OpenRental; a name that starts with a capital stays as it is."""
    if name[:1].isupper() and "_" not in name:
        return name
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def field_name(name: str) -> str:
    """A field or argument; reserved names get a trailing underscore."""
    return _safe(snake(name), _BUILTINS | _METHODS)


def parameter_name(name: str) -> str:
    """A parameter of a generated function."""
    return _safe(snake(name), _BUILTINS | _PARAMETERS)


def module_name(name: str) -> str:
    """The file of one definition, without its ending."""
    return _safe(snake(name), frozenset())


def class_name(name: str) -> str:
    """A generated class."""
    return _safe(pascal(name), _CLASSES)


def constant_name(name: str) -> str:
    """A constant or a member of an enum."""
    return _safe(snake(name).upper(), frozenset())


def _safe(name: str, taken: frozenset[str]) -> str:
    escaped = f"{name}_" if keyword.iskeyword(name) or name in taken else name
    if not escaped.isidentifier() or (escaped.startswith("__") and escaped.endswith("__")):
        raise UnsupportedIdl(f"{name!r} cannot be a name in Python")
    return escaped
