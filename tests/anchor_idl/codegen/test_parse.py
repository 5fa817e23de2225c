"""IDLs that the generator refuses, with the place named."""

from __future__ import annotations

from typing import Any

import pytest

from anchor_idl.codegen.errors import UnsupportedIdl
from anchor_idl.codegen.parse import parse_idl, parse_type
from anchor_idl.codegen.python.package import package_files

from .conftest import read_idl


def idl_with_type(name: str, body: dict[str, Any], **more: Any) -> dict[str, Any]:
    idl = read_idl("bazaar")
    idl["types"].append({"name": name, "type": body, **more})
    return idl


def struct(*types: Any) -> dict[str, Any]:
    return {"kind": "struct", "fields": [{"name": f"f{i}", "type": type_} for i, type_ in enumerate(types)]}


def test_parse_idl__older_than_anchor_0_30__is_refused() -> None:
    with pytest.raises(UnsupportedIdl, match=r"older than Anchor 0\.30"):
        parse_idl({"version": "0.1.0", "name": "old", "instructions": []})


@pytest.mark.parametrize(
    ("type_", "reason"),
    [
        ({"generic": "T"}, "generics are not supported"),
        ({"array": ["u8", {"generic": "N"}]}, "generics are not supported"),
        ({"defined": {"name": "PodVec", "generics": [{"kind": "const", "value": "4"}]}}, "generics are not supported"),
        ("u7", 'unknown type "u7"'),
        ({"hashMap": ["u8", "u8"]}, "unknown type"),
    ],
)
def test_parse_type__unsupported__says_why(type_: Any, reason: str) -> None:
    with pytest.raises(UnsupportedIdl, match=reason):
        parse_type(type_)


@pytest.mark.parametrize(
    ("idl", "reason"),
    [
        (
            idl_with_type("G", struct("u8"), generics=[{"kind": "type", "name": "T"}]),
            "types, G: generics are not supported",
        ),
        (idl_with_type("G", struct({"defined": {"name": "Gone"}})), "G uses the type Gone, which the IDL does not"),
        (idl_with_type("G", struct({"vec": {"defined": {"name": "G"}}})), "recursive types are not supported: G -> G"),
        (idl_with_type("G", struct("u8"), serialization={"custom": "x"}), "unknown serialization"),
        (idl_with_type("G", {"kind": "union"}), "unknown kind of type 'union'"),
        (idl_with_type("G", {"fields": []}), r"types, G: malformed \(KeyError\('kind'\)\)"),
    ],
)
def test_parse_idl__unsupported_type__names_its_place(idl: dict[str, Any], reason: str) -> None:
    with pytest.raises(UnsupportedIdl, match=reason):
        parse_idl(idl)


def test_parse_idl__discriminator_that_starts_another__is_refused() -> None:
    idl = read_idl("relay")
    idl["instructions"][1]["discriminator"] = [1, 2]

    with pytest.raises(UnsupportedIdl, match="forward and import have ambiguous discriminators"):
        parse_idl(idl)


def test_parse_idl__empty_discriminator__is_refused() -> None:
    idl = read_idl("relay")
    idl["events"][0]["discriminator"] = []

    with pytest.raises(UnsupportedIdl, match="event Forwarded has an empty discriminator"):
        parse_idl(idl)


def test_parse_idl__account_without_struct__is_refused() -> None:
    idl = read_idl("bazaar")
    idl["accounts"].append({"name": "Order", "discriminator": [1] * 8})

    with pytest.raises(UnsupportedIdl, match="Order has a discriminator but is not a struct"):
        parse_idl(idl)


@pytest.mark.parametrize("key", ["errors", "constants", "instructions"])
def test_parse_idl__same_name_twice__is_refused(key: str) -> None:
    idl = read_idl("bazaar")
    idl[key].append(idl[key][0])

    with pytest.raises(UnsupportedIdl, match="is defined twice"):
        parse_idl(idl)


@pytest.mark.parametrize(
    ("order", "accepted"), [(("u64", "u8"), False), (("u8", "u64"), False), (("u64", "i64"), True)]
)
def test_package_files__unchecked_memory_layout__is_refused_if_it_pads(order: tuple[str, str], accepted: bool) -> None:
    idl = parse_idl(idl_with_type("Raw", struct(*order), serialization="bytemuckunsafe", repr={"kind": "c"}))

    if accepted:
        assert "types/raw.py" in package_files(idl)
        return
    with pytest.raises(UnsupportedIdl, match="Raw"):
        package_files(idl)


def test_package_files__packed_memory_layout__is_accepted() -> None:
    more = {"serialization": "bytemuckunsafe", "repr": {"kind": "c", "packed": True}}

    assert "types/raw.py" in package_files(parse_idl(idl_with_type("Raw", struct("u8", "u64"), **more)))


def test_package_files__accounts_derived_from_each_other__are_refused() -> None:
    idl = read_idl("relay")
    seeds = [{"kind": "account", "path": "amount"}]
    idl["instructions"][0]["accounts"][2]["pda"] = {"seeds": [{"kind": "account", "path": "class"}]}
    idl["instructions"][0]["accounts"][1]["pda"] = {"seeds": seeds}

    with pytest.raises(UnsupportedIdl, match="derived from each other: class -> amount -> class"):
        package_files(parse_idl(idl))


@pytest.mark.parametrize(
    ("seed", "reason"),
    [
        ({"kind": "arg", "path": "gone"}, "argument gone"),
        ({"kind": "account", "path": "gone"}, "account gone"),
        ({"kind": "arg", "path": "amount.gone"}, "field gone"),
    ],
)
def test_package_files__seed_of_something_missing__is_refused(seed: dict[str, str], reason: str) -> None:
    idl = read_idl("relay")
    idl["instructions"][0]["accounts"][1]["pda"] = {"seeds": [seed]}

    with pytest.raises(UnsupportedIdl, match=reason):
        package_files(parse_idl(idl))


def test_package_files__two_names_that_are_one_in_python__are_refused() -> None:
    with pytest.raises(UnsupportedIdl, match="two types are named OrderMarket"):
        package_files(parse_idl(idl_with_type("OrderMarket", struct("u8"))))


@pytest.mark.parametrize("value", ["", "1.5", '"x"', "Some(1)"])
def test_package_files__unreadable_constant__names_it(value: str) -> None:
    idl = read_idl("bazaar")
    idl["constants"] = [{"name": "LIMIT", "type": "u64", "value": value}]

    with pytest.raises(UnsupportedIdl, match="constant LIMIT has a value that cannot be read"):
        package_files(parse_idl(idl))


def test_parse_idl__address_that_is_a_field__is_what_anchor_s_macro_writes() -> None:
    idl = read_idl("bazaar")
    written = read_idl("bazaar")
    for instruction in written["instructions"]:
        for account in instruction["accounts"]:
            if "field" in account:
                account["address"] = account.pop("field")
    assert written != idl
    assert parse_idl(written) == parse_idl(idl)
