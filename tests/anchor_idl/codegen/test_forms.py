"""Forms of IDLs that other programs have: each is taken, or refused by the name of what is wrong."""

from __future__ import annotations

import copy
import importlib
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_idl.codegen.errors import UnsupportedIdl
from anchor_idl.codegen.output import GeneratedOutput
from anchor_idl.codegen.parse import parse_idl
from anchor_idl.codegen.python.package import package_files

Package = Callable[..., ModuleType]
PROGRAM = "11111111111111111111111111111112"
OPEN = {"name": "open", "discriminator": [1] * 8, "accounts": [{"name": "owner", "signer": True}], "args": []}
SHELF_TAG, EVENT_TAG = bytes([3] * 8), bytes([4] * 8)


def tagged(name: str, tag: bytes = SHELF_TAG) -> dict[str, Any]:
    return {"name": name, "discriminator": list(tag)}


def defined(name: str, **more: Any) -> dict[str, Any]:
    return {"defined": {"name": name, **more}}


def struct(name: str, *fields: Any, **more: Any) -> dict[str, Any]:
    named = [{"name": field[0], "type": field[1]} if isinstance(field, tuple) else field for field in fields]
    return {"name": name, "type": {"kind": "struct", "fields": named}, **more}


def enum(name: str, *variants: Any) -> dict[str, Any]:
    held = [variant if isinstance(variant, dict) else {"name": variant} for variant in variants]
    return {"name": name, "type": {"kind": "enum", "variants": held}}


def idl_of(**parts: Any) -> dict[str, Any]:
    """An IDL with one instruction and these parts; those that are not named are not there."""
    metadata = {"name": "kiosk", "version": "0.1.0", "spec": "0.1.0"}
    return copy.deepcopy({"address": PROGRAM, "metadata": metadata, "instructions": [OPEN], **parts})


@pytest.fixture
def package(tmp_path: Path) -> Iterator[Package]:
    """Generates a package and imports a module of it."""
    name = tmp_path.name
    sys.path.insert(0, str(tmp_path))

    def made(module: str, **parts: Any) -> ModuleType:
        GeneratedOutput.folder(tmp_path / name, package_files(parse_idl(idl_of(**parts)))).write()
        return importlib.import_module(f"{name}.{module}")

    yield made
    sys.path.remove(str(tmp_path))
    for loaded in [each for each in sys.modules if each.partition(".")[0] == name]:
        del sys.modules[loaded]


def test_instruction_alone__is_taken(package: Package) -> None:
    instructions = package("instructions")
    owner = Pubkey.new_unique()
    built: Instruction = instructions.open(owner=owner)
    assert bytes(built.data) == bytes([1] * 8)
    assert instructions.decode_instruction(built).accounts == {"owner": owner}
    for module in ("accounts", "events", "types", "errors", "constants", "pdas", "program"):
        package(module)


@pytest.mark.parametrize("empty", [[], None], ids=["empty", "null"])
def test_parts_that_hold_nothing__are_taken(package: Package, empty: Any) -> None:
    parts = dict.fromkeys(("accounts", "events", "types", "errors", "constants"), empty)
    assert package("accounts", **parts).ACCOUNTS == {}


def test_no_instruction__is_taken(package: Package) -> None:
    accounts = package("accounts", instructions=[], types=[struct("Shelf", ("n", "u8"))], accounts=[tagged("Shelf")])
    assert accounts.decode_account(SHELF_TAG + b"\7").n == 7


def test_account_and_event_of_one_name__are_taken(package: Package) -> None:
    parts = {
        "types": [struct("Shelf", ("n", "u8"))],
        "accounts": [tagged("Shelf")],
        "events": [tagged("Shelf", EVENT_TAG)],
    }
    assert package("accounts", **parts).decode_account(SHELF_TAG + b"\7").n == 7
    assert package("events", **parts).decode_event(EVENT_TAG + b"\10").n == 8


def test_tuple_struct__is_taken_with_numbered_fields(package: Package) -> None:
    accounts = package("accounts", types=[struct("Pt", "u8", "u16")], accounts=[tagged("Pt")])
    point = accounts.Pt(field_0=1, field_1=0x302)
    assert accounts.decode_account(SHELF_TAG + b"\1\2\3") == point
    assert point.encode() == SHELF_TAG + b"\1\2\3"


def test_struct_without_fields__is_taken(package: Package) -> None:
    accounts = package("accounts", types=[{"name": "Unit", "type": {"kind": "struct"}}], accounts=[tagged("Unit")])
    assert accounts.decode_account(SHELF_TAG) == accounts.Unit()


def test_type_names_with_a_path__are_their_last_part(package: Package) -> None:
    parts = {
        "types": [
            struct("kiosk::state::Shelf", ("rows", {"vec": defined("kiosk::state::Row")})),
            struct("kiosk::state::Row", ("n", "u8")),
        ],
        "accounts": [tagged("kiosk::state::Shelf")],
    }
    accounts = package("accounts", **parts)
    assert accounts.decode_account(SHELF_TAG + b"\1\0\0\0\7") == accounts.Shelf(rows=(package("types").Row(n=7),))


def test_type_names_with_a_path__that_clash_are_longer(package: Package) -> None:
    names = ("kiosk::state::Shelf", "kiosk::old::Shelf", "other::old::Shelf", "Item")
    types = package("types", types=[struct(name, ("n", "u8")) for name in names])
    assert [types.StateShelf(n=1).n, types.KioskOldShelf(n=2).n, types.OtherOldShelf(n=3).n, types.Item(n=4).n] == [
        1,
        2,
        3,
        4,
    ]


def test_type_names_with_a_path__are_found_by_seeds(package: Package) -> None:
    shelf = {"kind": "account", "path": "shelf.n", "account": "kiosk::state::Shelf"}
    take = {
        "name": "take",
        "discriminator": [2] * 8,
        "accounts": [{"name": "shelf"}, {"name": "item", "pda": {"seeds": [shelf]}}],
        "args": [],
    }
    types = [struct("kiosk::state::Shelf", ("n", "u8"))]
    accounts = [tagged("kiosk::state::Shelf")]
    instructions = package("instructions", instructions=[take], types=types, accounts=accounts)
    data = package("accounts", instructions=[take], types=types, accounts=accounts).Shelf(n=7)
    built = instructions.take(shelf=Pubkey.new_unique(), shelf_data=data)
    assert built.accounts[1].pubkey == Pubkey.find_program_address([b"\7"], Pubkey.from_string(PROGRAM))[0]


def test_enum_with_tuples__is_taken(package: Package) -> None:
    change = enum(
        "Change",
        "None",
        {"name": "Move", "fields": ["u8", "u8"]},
        {"name": "Set", "fields": [{"name": "n", "type": "u8"}]},
    )
    parts = {"types": [change, struct("Shelf", ("change", defined("Change")))], "accounts": [tagged("Shelf")]}
    accounts, types = package("accounts", **parts), package("types", **parts)
    assert accounts.decode_account(SHELF_TAG + b"\1\2\3").change == types.ChangeMove(field_0=2, field_1=3)


PAIR = struct("Pair", ("left", {"generic": "T"}), generics=[{"kind": "type", "name": "T"}])


@pytest.mark.parametrize(
    ("parts", "reason"),
    [
        ({"types": [PAIR]}, "types, Pair: generics are not supported"),
        (
            {"types": [struct("Shelf", ("p", defined("Pair", generics=[{"kind": "type", "type": "u8"}])))]},
            "types, Shelf: generics are not supported",
        ),
        (
            {"types": [struct("Tree", ("kids", {"vec": defined("Tree")}))]},
            "recursive types are not supported: Tree -> Tree",
        ),
        (
            {"types": [struct("m::A", ("b", {"option": defined("m::B")})), struct("m::B", ("a", defined("m::A")))]},
            "recursive types are not supported: A -> B -> A",
        ),
        (
            {"errors": [{"code": 6000, "name": "Nope", "msg": "a"}, {"code": 6001, "name": "Nope", "msg": "b"}]},
            "the errors 6000 and 6001 are both named Nope",
        ),
        (
            {"types": [enum("Status", "Open", "open")]},
            "the variants Open and open of Status have the same name in Python",
        ),
        (
            {"types": [enum("Step", {"name": "Do", "fields": ["u8"]}, "DO")]},
            "the variants Do and DO of Step have the same name in Python",
        ),
        ({"types": [struct("Shelf"), struct("Shelf", ("n", "u8"))]}, "type Shelf is defined twice"),
        ({"types": [struct("a::Shelf"), struct("a::Shelf")]}, "type Shelf is defined twice"),
        ({"types": [struct("__init__")]}, "'__init__' cannot be a name"),
        ({"types": [struct("Shelf", ("n", {"hashMap": ["u8", "u8"]}))]}, "types, Shelf: unknown type"),
        (
            {"instructions": [OPEN | {"args": [{"name": each, "type": "u8"} for each in ("rowCount", "row_count")]}]},
            "two arguments of open are named row_count",
        ),
        ({"accounts": [tagged("Shelf")]}, "Shelf has a discriminator but is not a struct in the IDL"),
        (
            {"types": [enum("Shelf", "A")], "accounts": [tagged("Shelf")]},
            "Shelf has a discriminator but is not a struct",
        ),
    ],
)
def test_forms_that_are_not_supported__are_refused_by_name(parts: dict[str, Any], reason: str) -> None:
    with pytest.raises(UnsupportedIdl) as refused:
        package_files(parse_idl(idl_of(**parts)))
    assert reason in str(refused.value)
