"""Builders: what they fill in, what they refuse, and what a reader gets back."""

from __future__ import annotations

import hashlib
from typing import Any

import pytest
from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_idl.runtime.errors import InvalidValue, LayoutTooShort, MissingAccount, UnknownInstruction

from .conftest import Load

OWNER, BUYER, MINT, ORACLE_MINT, ORACLE_PROGRAM, TREASURER = (Pubkey(bytes([n]) * 32) for n in range(1, 7))
SYSTEM = Pubkey(bytes(32))
TOKEN = Pubkey.from_string("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA")
ASSOCIATED = Pubkey.from_string("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL")


def pda(program: Pubkey, *seeds: bytes) -> Pubkey:
    return Pubkey.find_program_address(list(seeds), program)[0]


@pytest.fixture
def program(load: Load) -> Pubkey:
    address: Pubkey = load("bazaar.program").PROGRAM_ID
    return address


@pytest.fixture
def stall_data(load: Load) -> Any:
    terms = load("bazaar.types").Terms(number=1, hours=2, price=3)
    return load("bazaar.accounts").Stall(
        version=1,
        state=0,
        flags=bytes(6),
        id=258,
        owner=OWNER,
        treasurer=TREASURER,
        earned=0,
        balance=0,
        terms=terms,
        steps=(0, 0),
    )


@pytest.fixture
def order(load: Load) -> dict[str, Any]:
    types = load("bazaar.types")
    return {
        "terms": types.Terms(number=9, hours=1, price=1),
        "order": types.OrderMarket(),
        "notes": ["a"],
        "proof": bytes(32),
        "amounts": [1, 2],
        "label": "box",
        "side": types.Side.SELL_SHORT,
        "shift": -2,
        "limit": None,
        "basis": 5,
        "buyer": BUYER,
        "shop_mint": MINT,
        "mint_of_oracle": ORACLE_MINT,
        "oracle_program": ORACLE_PROGRAM,
    }


def test_open_stall__required_accounts_only__derives_the_rest(load: Load, program: Pubkey) -> None:
    types = load("bazaar.types")

    built = load("bazaar.instructions").open_stall(
        id=258, name="été", window=types.Window(opens_at=-1, closes_at=None), tags=b"\1\2\3\4", owner=OWNER
    )

    stall = pda(program, b"stall", bytes(OWNER), bytes([2, 1, 0, 0, 0, 0, 0, 0]))
    assert built == Instruction(
        program,
        hashlib.sha256(b"global:open_stall").digest()[:8]
        + bytes.fromhex("0201000000000000 05000000c3a974c3a9 ffffffffffffffff 00 01020304"),
        [
            AccountMeta(OWNER, True, True),
            AccountMeta(stall, False, True),
            AccountMeta(program, False, False),
            AccountMeta(SYSTEM, False, False),
        ],
    )


def test_open_stall__optional_account_passed__is_writable_in_its_place(load: Load) -> None:
    window = load("bazaar.types").Window(opens_at=0, closes_at=1)

    built = load("bazaar.instructions").open_stall(
        id=1, name="", window=window, tags=bytes(4), owner=OWNER, referrer=BUYER
    )

    assert built.accounts[2] == AccountMeta(BUYER, False, True)


def test_place_order__with_account_data__derives_seeds_relations_and_fields(
    load: Load, program: Pubkey, order: dict[str, Any], stall_data: Any
) -> None:
    built = load("bazaar.instructions").place_order(**order, shop_stall_data=stall_data)

    stall = pda(program, b"stall", bytes(OWNER), (258).to_bytes(8, "little"))
    vault = pda(ASSOCIATED, bytes(OWNER), bytes(TOKEN), bytes(MINT))
    receipt = pda(program, b"receipt", bytes(BUYER), b"\x09\0\0\0", b"box", b"\1", b"\xfe\xff")
    oracle = pda(ORACLE_PROGRAM, b"feed", bytes(ORACLE_MINT))
    expected = [BUYER, stall, OWNER, MINT, vault, TOKEN, receipt, TREASURER, oracle, ORACLE_MINT, ORACLE_PROGRAM]
    assert [meta.pubkey for meta in built.accounts] == [*expected, SYSTEM]


def test_place_order__without_data_or_address__names_what_to_pass(load: Load, order: dict[str, Any]) -> None:
    with pytest.raises(MissingAccount, match="pass shop_stall, or shop_stall_data to derive it from") as raised:
        load("bazaar.instructions").place_order(**order)

    assert (raised.value.instruction, raised.value.account) == ("place_order", "shop_stall")


def test_place_order__every_address_passed__uses_them_all(load: Load, order: dict[str, Any], stall_data: Any) -> None:
    names = ["shop_stall", "shop_owner", "shop_vault", "shop_token_program", "receipt", "treasurer", "oracle"]
    passed = {name: Pubkey.new_unique() for name in [*names, "system_program"]}

    built = load("bazaar.instructions").place_order(**order, **passed, shop_stall_data=stall_data)

    decoded = load("bazaar.instructions").decode_instruction(built)
    assert {name: decoded.accounts[name] for name in passed} == passed


def test_place_order__argument_out_of_range__raises_invalid_value(
    load: Load, order: dict[str, Any], stall_data: Any
) -> None:
    with pytest.raises(InvalidValue, match="place_order"):
        load("bazaar.instructions").place_order(**order | {"basis": 65_536}, shop_stall_data=stall_data)


def test_close_stall__other_program_id__derives_for_it(load: Load) -> None:
    other = Pubkey.new_unique()

    built = load("bazaar.instructions").close_stall(owner=OWNER, stall=MINT, program_id=other)

    assert built.program_id == other
    assert [meta.pubkey for meta in built.accounts] == [
        *(MINT, OWNER, pda(other, b"ledger", bytes(MINT)), pda(other, b"__event_authority"), other)
    ]


def test_close_stall__own_data_only__derives_signer_by_relation(load: Load, program: Pubkey, stall_data: Any) -> None:
    built = load("bazaar.instructions").close_stall(stall_data=stall_data)

    assert built.accounts[1] == AccountMeta(OWNER, True, True)
    assert built.accounts[0].pubkey == pda(program, b"stall", bytes(OWNER), (258).to_bytes(8, "little"))


def test_decode_instruction__built_one__returns_names_args_accounts_and_remaining(
    load: Load, order: dict[str, Any], stall_data: Any
) -> None:
    instructions = load("bazaar.instructions")
    extra = AccountMeta(Pubkey.new_unique(), False, True)
    built = instructions.place_order(**order, shop_stall_data=stall_data, remaining_accounts=[extra])

    decoded = instructions.decode_instruction(built)

    assert decoded.name == "place_order"
    assert decoded.args["terms"] == order["terms"]
    assert decoded.args["notes"] == ("a",)
    assert decoded.args["side"] is order["side"]
    assert decoded.accounts["treasurer"] == TREASURER
    assert decoded.remaining == (extra.pubkey,)
    assert built.accounts[-1] == extra


def test_decode_instruction__absent_optional_account__is_left_out(load: Load) -> None:
    relay = load("relay.instructions")

    decoded = relay.decode_instruction(relay.forward(hops=[], class_=OWNER, foreign=MINT))

    assert decoded.accounts == {"class_": OWNER, "foreign": MINT}


def test_import__names_python_keeps_for_itself__are_escaped(load: Load) -> None:
    relay = load("relay.instructions")

    built = relay.import_(from_=1, lambda_=2, amount=3, bytes_=b"\4", from_account=OWNER, amount_account=MINT)

    program = load("relay.program").PROGRAM_ID
    assert bytes(built.data) == bytes.fromhex("01 0100000000000000 0200 0300000000000000 01000000 04")
    assert built.accounts[1].pubkey == pda(program, b"class", bytes(OWNER), b"\2\0")


def test_forward__account_data__derives_from_escaped_fields(load: Load) -> None:
    data = load("relay.accounts").Class(from_=OWNER, lambda_=2, class_=0, bytes_=b"", decode_=False, int_=0, more=b"")

    built = load("relay.instructions").forward(hops=[], class_data=data, foreign=MINT)

    assert built.accounts[1].pubkey == load("relay.pdas").find_class(OWNER, 2)[0]


def test_decode_instruction__other_program__raises_unknown_instruction(load: Load, program: Pubkey) -> None:
    with pytest.raises(UnknownInstruction, match=str(program)):
        load("bazaar.instructions").decode_instruction(Instruction(OWNER, bytes(8), []))


def test_decode_instruction__unknown_discriminator__raises_unknown_instruction(load: Load, program: Pubkey) -> None:
    with pytest.raises(UnknownInstruction, match="no instruction starts with 0000000000000000"):
        load("bazaar.instructions").decode_instruction(Instruction(program, bytes(20), []))


def test_decode_instruction__too_few_accounts__names_the_first_missing(load: Load, program: Pubkey) -> None:
    data = hashlib.sha256(b"global:close_stall").digest()[:8]

    with pytest.raises(MissingAccount, match="account owner is unknown; only 1 accounts are there"):
        load("bazaar.instructions").decode_instruction(Instruction(program, data, [AccountMeta(OWNER, False, False)]))


def test_decode_instruction__truncated_arguments__raises_layout_too_short(load: Load) -> None:
    program = load("relay.program").PROGRAM_ID

    with pytest.raises(LayoutTooShort, match="import"):
        load("relay.instructions").decode_instruction(Instruction(program, b"\1\0", []))
