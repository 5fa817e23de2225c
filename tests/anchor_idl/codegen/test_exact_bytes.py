"""Bytes written out by hand, so that no packing code is trusted."""

from __future__ import annotations

import dataclasses
import hashlib

import pytest
from solders.pubkey import Pubkey

from anchor_idl.runtime.errors import DiscriminatorMismatch, InvalidValue, LayoutTooShort, UnknownAccount

from .conftest import Load

OWNER = Pubkey(bytes(range(32)))
TREASURER = Pubkey(bytes(range(32, 64)))
STALL = (
    hashlib.sha256(b"account:Stall").digest()[:8]
    + bytes.fromhex("01 02 aabbccddeeff 0807060504030201")
    + bytes(range(64))
    + bytes.fromhex("01000000000000000000000000000080")
    + bytes.fromhex("feffffffffffffffffffffffffffffff")
    + bytes.fromhex("07000000 18000000 ffffffffffffffff")
    + bytes.fromhex("01000000 02000000")
)


def test_decode__hand_written_account__reads_every_field(load: Load) -> None:
    stall = load("bazaar.accounts").Stall.decode(STALL)

    assert (stall.version, stall.state, stall.flags) == (1, 2, bytes.fromhex("aabbccddeeff"))
    assert (stall.id, stall.owner, stall.treasurer) == (0x0102030405060708, OWNER, TREASURER)
    assert (stall.earned, stall.balance) == (2**127 + 1, -2)
    assert stall.terms == load("bazaar.types").Terms(number=7, hours=24, price=-1)
    assert stall.steps == (1, 2)
    assert stall.encode() == STALL


def test_offsets__fixed_account__point_at_the_fields(load: Load) -> None:
    stall = load("bazaar.accounts").Stall

    assert len(STALL) == stall.SIZE
    assert dict(stall.OFFSETS) == {
        "version": 8,
        "state": 9,
        "flags": 10,
        "id": 16,
        "owner": 24,
        "treasurer": 56,
        "earned": 88,
        "balance": 104,
        "terms": 120,
        "terms.number": 120,
        "terms.hours": 124,
        "terms.price": 128,
        "steps": 136,
    }
    assert STALL[stall.OFFSETS["owner"] :].startswith(bytes(OWNER))


def test_offsets__variable_account__end_at_the_first_variable_field(load: Load) -> None:
    ledger = load("bazaar.accounts").Ledger

    assert dict(ledger.OFFSETS) == {"stall": 8, "entries": 40}
    assert not hasattr(ledger, "SIZE")


def test_encode__every_variant__starts_with_its_index(load: Load) -> None:
    types = load("bazaar.types")

    assert types.OrderMarket().encode() == b""
    placed = load("bazaar.events").OrderPlaced
    orders = {
        types.OrderMarket(): "00",
        types.OrderLimit(price=types.Price(amount=5, currency=types.Side.NONE), post_only=True): (
            "01 0500000000000000 02 01"
        ),
        types.OrderBracket(field_0=1, field_1=-1, field_2="é"): "02 0100000000000000 ffffffff 01 02000000 c3a9",
    }
    for order, expected in orders.items():
        event = placed(seq=1, buyer=OWNER, order=order, note=None, tip=9)
        assert event.encode()[8 + 8 + 32 :] == bytes.fromhex(expected) + b"\0" + b"\1" + (9).to_bytes(8, "little")


def test_decode__other_discriminator__raises_discriminator_mismatch(load: Load) -> None:
    with pytest.raises(DiscriminatorMismatch, match="Ledger starts with"):
        load("bazaar.accounts").Ledger.decode(STALL)


def test_decode__one_byte_short__raises_layout_too_short(load: Load) -> None:
    with pytest.raises(LayoutTooShort, match=r"Stall\.steps needs more than the 135 bytes"):
        load("bazaar.accounts").Stall.decode(STALL[:-1])


def test_decode__one_byte_discriminator__reads_the_account(load: Load) -> None:
    accounts = load("relay.accounts")
    data = b"\x07" + bytes(OWNER) + bytes.fromhex("0201 09 01000000ff 01 80 00000000")

    account = accounts.decode_account(data)

    assert account == accounts.Class(
        from_=OWNER, lambda_=0x0102, class_=9, bytes_=b"\xff", decode_=True, int_=-128, more=b""
    )


def test_decode_account__unknown_discriminator__raises_unknown_account(load: Load) -> None:
    with pytest.raises(UnknownAccount, match="0000000000000000"):
        load("bazaar.accounts").decode_account(bytes(100))


@pytest.mark.parametrize(
    ("data", "reason"),
    [("02", "a flag is 0 or 1"), ("01 03 0000000000000000", "Order has no variant 3"), ("01 01", "needs more")],
)
def test_decode__malformed_option__raises_a_named_error(load: Load, data: str, reason: str) -> None:
    head = load("bazaar.accounts").Ledger.DISCRIMINATOR + bytes(32) + bytes(4)

    with pytest.raises((InvalidValue, LayoutTooShort), match=reason):
        load("bazaar.accounts").Ledger.decode(head + bytes.fromhex(data))


def test_decode__unknown_unit_variant__raises_invalid_value(load: Load) -> None:
    with pytest.raises(InvalidValue, match="3 is not a valid Side"):
        load("bazaar.types").Price.decode(bytes(8) + b"\x03")


@pytest.mark.parametrize("amount", [-1, 2**64, "5", None])
def test_encode__number_out_of_range__raises_invalid_value(load: Load, amount: object) -> None:
    types = load("bazaar.types")

    with pytest.raises(InvalidValue, match="Price"):
        types.Price(amount=amount, currency=types.Side.BUY).encode()


@pytest.mark.parametrize("flags", [b"12345", b"1234567", 0, "123456"])
def test_encode__byte_array_of_wrong_kind__raises_invalid_value(load: Load, flags: object) -> None:
    stall = load("bazaar.accounts").Stall.decode(STALL)

    with pytest.raises(InvalidValue, match="Stall"):
        dataclasses.replace(stall, flags=flags).encode()
