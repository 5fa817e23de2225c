"""The pre-0.30 form."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest

from anchor_idl.codegen.errors import LegacyMismatch
from anchor_idl.codegen.legacy import legacy

from .conftest import read_idl


def test_legacy__names_and_types__have_their_old_form() -> None:
    old = legacy(read_idl("bazaar"))

    place = next(i for i in old["instructions"] if i["name"] == "placeOrder")
    assert place["args"][:2] == [
        {"name": "terms", "type": {"defined": "Terms"}},
        {"name": "order", "type": {"defined": "Order"}},
    ]
    assert place["accounts"][0] == {"name": "buyer", "isMut": True, "isSigner": True}
    assert [account["name"] for account in place["accounts"][1]["accounts"]] == [
        *("stall", "owner", "mint", "vault", "tokenProgram")
    ]
    assert old["metadata"] == {"address": "BaZaarFJvGAzxDzUWZpNYkdGPpTM8WZFqUNfLxZk5Hy2"}
    assert (old["name"], old["version"]) == ("bazaar", "1.2.3")


def test_legacy__optional_account__says_so() -> None:
    opened = next(i for i in legacy(read_idl("bazaar"))["instructions"] if i["name"] == "openStall")

    assert opened["accounts"][2] == {"name": "referrer", "isMut": True, "isSigner": False, "isOptional": True}


def test_legacy__accounts_events_and_types__are_kept_apart() -> None:
    old = legacy(read_idl("bazaar"))

    assert [account["name"] for account in old["accounts"]] == ["Ledger", "Stall"]
    assert [event["name"] for event in old["events"]] == ["OrderPlaced", "StallOpened"]
    assert old["events"][1]["fields"][1] == {"name": "stall", "type": "publicKey", "index": False}
    assert [type_["name"] for type_ in old["types"]] == ["Basis", "Order", "Price", "Side", "Terms", "Window"]
    stall = old["accounts"][1]["type"]["fields"]
    assert stall[4] == {"name": "owner", "type": "publicKey"}
    assert stall[2] == {"name": "flags", "type": {"array": ["u8", 6]}}


def test_legacy__discriminators_that_are_no_hashes__are_all_named() -> None:
    with pytest.raises(LegacyMismatch, match="instruction import, instruction forward, account Class, event Forwarded"):
        legacy(read_idl("relay"))


def test_legacy__name_that_does_not_survive_camel_case__is_refused() -> None:
    idl = read_idl("bazaar")
    idl["instructions"][0] |= {
        "name": "open_2_stalls",
        "discriminator": list(hashlib.sha256(b"global:open_2_stalls").digest()[:8]),
    }

    with pytest.raises(LegacyMismatch, match="instruction open_2_stalls"):
        legacy(idl)


@pytest.mark.parametrize("type_", ["u256", {"coption": "pubkey"}])
def test_legacy__type_without_old_form__is_refused(type_: Any) -> None:
    idl = read_idl("bazaar")
    idl["instructions"][0]["args"][0]["type"] = type_

    with pytest.raises(LegacyMismatch, match="the old form has no"):
        legacy(idl)
