"""Writes types/, accounts/ and events/: one definition a file, and tables by discriminator."""

from __future__ import annotations

from collections.abc import Iterator

from anchor_idl.codegen.idl import Idl, StructBody, Tagged, TypeDefinition, defined_names, field_types
from anchor_idl.codegen.python.definitions import (
    RUNTIME_IMPORTS,
    dataclass_source,
    imports_of,
    type_exports,
    type_source,
)
from anchor_idl.codegen.python.layouts import fields_size, offsets
from anchor_idl.codegen.python.names import class_name, module_name
from anchor_idl.codegen.python.text import bytes_literal, lazy_names, module, place_table

Files = dict[str, str]

_ACCOUNT_TABLE = '''
ACCOUNTS: Final[Mapping[bytes, type[Account]]] = LazyTable(__name__, {places})


def decode_account(data: bytes) -> Account:
    """The account whose discriminator the data starts with; UnknownAccount, LayoutTooShort or InvalidValue."""
    kind = entry_for(ACCOUNTS, data)
    if kind is None:
        raise UnknownAccount(f"no account starts with {{bytes(data[:8]).hex() or 'nothing'}}")
    return kind.decode(data)
'''

_EVENT_TABLE = '''
EVENT_TAG: Final = bytes.fromhex("e445a52e51cb9a1d")
"""Prefix of an event in a self-CPI: sha256("anchor:event")[:8], reversed."""

EVENTS: Final[Mapping[bytes, type[Event]]] = LazyTable(__name__, {places})


def decode_event(data: bytes) -> Event:
    """The event whose discriminator the data starts with; UnknownEvent or UndecodableEvent."""
    kind = entry_for(EVENTS, data)
    if kind is None:
        raise UnknownEvent(f"no event starts with {{bytes(data[:8]).hex() or 'nothing'}}")
    try:
        return kind.decode(data)
    except IdlError as error:
        raise UndecodableEvent(str(error)) from error


def decode_cpi_event(data: bytes) -> Event:
    """The event in the data of a self-CPI; UnknownEvent if it does not start with EVENT_TAG, else as decode_event."""
    if data[: len(EVENT_TAG)] != EVENT_TAG:
        raise UnknownEvent("the data is no event's self-CPI")
    return decode_event(data[len(EVENT_TAG) :])
'''

_NAMES_IMPORTS = """\
from typing import TYPE_CHECKING

from anchor_idl.runtime.lazy import importer
"""
_TABLE_IMPORTS = """\
from collections.abc import Mapping
from typing import TYPE_CHECKING, Final

from anchor_idl.runtime.discriminators import entry_for
from anchor_idl.runtime.errors import {errors}
from anchor_idl.runtime.lazy import LazyTable, importer

if TYPE_CHECKING:
    from anchor_idl.runtime.structs import {base}
"""
_ACCOUNT_IMPORTS = _TABLE_IMPORTS.format(errors="UnknownAccount", base="Account")
_EVENT_IMPORTS = _TABLE_IMPORTS.format(errors="IdlError, UndecodableEvent, UnknownEvent", base="Event")


def type_files(idl: Idl) -> Files:
    """types/: what is neither an account nor an event, or is mentioned by something else."""
    definitions = list(_plain_types(idl))
    files = {
        f"types/{module_name(d.name)}.py": module(RUNTIME_IMPORTS, imports_of(idl, d, "."), type_source(idl, d))
        for d in definitions
    }
    places = [(module_name(d.name), name) for d in definitions for name in type_exports(d)]
    return files | {"types/__init__.py": module(_NAMES_IMPORTS, lazy_names(places, repr(places)))}


def account_files(idl: Idl) -> Files:
    """accounts/ and the table of all account types."""
    files = {_path("accounts", account): _account_source(idl, account) for account in idl.accounts}
    return files | {"accounts/__init__.py": _table_module(_ACCOUNT_IMPORTS, _ACCOUNT_TABLE, "ACCOUNTS", idl.accounts)}


def event_files(idl: Idl) -> Files:
    """events/ and the table of all events."""
    files = {_path("events", event): _event_source(idl, event) for event in idl.events}
    return files | {"events/__init__.py": _table_module(_EVENT_IMPORTS, _EVENT_TABLE, "EVENTS", idl.events)}


def _plain_types(idl: Idl) -> Iterator[TypeDefinition]:
    tagged = {entry.name for entry in (*idl.accounts, *idl.events)}
    mentioned = {name for d in idl.types.values() for type_ in field_types(d) for name in defined_names(type_)}
    mentioned |= {name for i in idl.instructions for arg in i.args for name in defined_names(arg.type)}
    return (d for d in idl.types.values() if d.name not in tagged or d.name in mentioned)


def _account_source(idl: Idl, account: Tagged) -> str:
    definition = idl.struct_of(account)
    fields = definition.body.fields if isinstance(definition.body, StructBody) else ()
    start = len(account.discriminator)
    places = offsets(idl, fields, start)
    size = fields_size(idl, fields)
    variables = f"    DISCRIMINATOR: ClassVar[bytes] = {bytes_literal(account.discriminator)}\n"
    if size is not None:
        variables += f"    SIZE: ClassVar[int] = {start + size}\n"
    variables += f"    OFFSETS: ClassVar[Mapping[str, int]] = MappingProxyType({places!r})\n"
    return module(
        RUNTIME_IMPORTS,
        imports_of(idl, definition, "..types."),
        dataclass_source(idl, definition, "Account", variables),
    )


def _event_source(idl: Idl, event: Tagged) -> str:
    definition = idl.struct_of(event)
    variables = f"    DISCRIMINATOR: ClassVar[bytes] = {bytes_literal(event.discriminator)}\n"
    return module(
        RUNTIME_IMPORTS, imports_of(idl, definition, "..types."), dataclass_source(idl, definition, "Event", variables)
    )


def _path(folder: str, entry: Tagged) -> str:
    return f"{folder}/{module_name(entry.name)}.py"


def _table_module(imports: str, table: str, name: str, entries: tuple[Tagged, ...]) -> str:
    places = [(module_name(entry.name), class_name(entry.name)) for entry in entries]
    source = table.format(places=place_table(zip((entry.discriminator for entry in entries), places, strict=True)))
    return module(imports, source, lazy_names(places, f"{name}.places.values()"))
