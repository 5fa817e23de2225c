"""Checks that any IDL must pass before code is generated from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from anchor_idl.codegen.errors import UnsupportedIdl
from anchor_idl.codegen.idl import Idl, StructBody, Tagged, Type, defined_names, field_types


def validate(idl: Idl) -> None:
    """UnsupportedIdl if a name is missing or used twice, a discriminator is ambiguous or a type contains itself."""
    _check_types_exist(idl)
    _check_no_recursion(idl)
    for kind, entries in (("account", idl.accounts), ("event", idl.events), ("instruction", idl.instructions)):
        _check_discriminators(kind, [(entry.name, entry.discriminator) for entry in entries])
    for tagged in (*idl.accounts, *idl.events):
        _check_is_struct(idl, tagged)
    check_unique("error code", (error.code for error in idl.errors))
    _check_error_names(idl)
    check_unique("constant", (constant.name for constant in idl.constants))


def _mentioned_types(idl: Idl) -> Iterator[tuple[str, Type]]:
    for definition in idl.types.values():
        yield from ((definition.name, type_) for type_ in field_types(definition))
    for instruction in idl.instructions:
        yield from ((instruction.name, arg.type) for arg in instruction.args)
    yield from ((constant.name, constant.type) for constant in idl.constants)


def _check_types_exist(idl: Idl) -> None:
    for place, type_ in _mentioned_types(idl):
        for name in defined_names(type_):
            if name not in idl.types:
                raise UnsupportedIdl(f"{place} uses the type {name}, which the IDL does not define")


def _check_no_recursion(idl: Idl) -> None:
    finished: set[str] = set()

    def visit(name: str, path: tuple[str, ...]) -> None:
        if name in path:
            raise UnsupportedIdl(f"recursive types are not supported: {' -> '.join((*path, name))}")
        if name in finished:
            return
        for type_ in field_types(idl.types[name]):
            for inner in defined_names(type_):
                visit(inner, (*path, name))
        finished.add(name)

    for name in idl.types:
        visit(name, ())


def _check_discriminators(kind: str, entries: Sequence[tuple[str, bytes]]) -> None:
    check_unique(kind, (name for name, _ in entries))
    for name, discriminator in entries:
        if not discriminator:
            raise UnsupportedIdl(f"{kind} {name} has an empty discriminator")
        for other_name, other in entries:
            if name != other_name and discriminator.startswith(other):
                raise UnsupportedIdl(f"{kind}s {name} and {other_name} have ambiguous discriminators")


def _check_is_struct(idl: Idl, tagged: Tagged) -> None:
    definition = idl.types.get(tagged.name)
    if definition is None or not isinstance(definition.body, StructBody):
        raise UnsupportedIdl(f"{tagged.name} has a discriminator but is not a struct in the IDL")


def _check_error_names(idl: Idl) -> None:
    codes: dict[str, int] = {}
    for error in idl.errors:
        if error.name in codes:
            raise UnsupportedIdl(f"the errors {codes[error.name]} and {error.code} are both named {error.name}")
        codes[error.name] = error.code


def check_unique(kind: str, values: Iterable[object]) -> None:
    """UnsupportedIdl if two values are the same."""
    seen: set[object] = set()
    for value in values:
        if value in seen:
            raise UnsupportedIdl(f"{kind} {value} is defined twice")
        seen.add(value)
