"""Base58 both ways, as solders writes and reads it."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from solders.pubkey import Pubkey

from anchor_idl import base58


@settings(deadline=None)
@given(st.binary(max_size=200))
@example(bytes(range(256)))
@example(bytes(32))
@example(b"\xff" * 700)
def test_base58__any_bytes__come_back(data: bytes) -> None:
    assert base58.decode(base58.encode(data)) == data


@settings(deadline=None)
@given(st.binary(min_size=32, max_size=32))
@example(bytes(32))
def test_base58__an_address__is_as_solders_writes_it(data: bytes) -> None:
    assert base58.encode(data) == str(Pubkey(data))


@pytest.mark.parametrize(("text", "bad"), [("0", "0"), ("abcO", "O"), ("l" * 30, "l"), ("1" * 40 + " ", " ")])
def test_decode__another_character__is_named(text: str, bad: str) -> None:
    with pytest.raises(ValueError, match=f"^'{bad}' is not base58$"):
        base58.decode(text)
