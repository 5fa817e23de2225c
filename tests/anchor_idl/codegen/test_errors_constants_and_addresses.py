"""errors.py, constants.py, pdas.py and program.py."""

from __future__ import annotations

import pytest
from solders.pubkey import Pubkey

from anchor_idl.runtime import addresses
from anchor_idl.runtime.program_errors import FRAMEWORK_ERRORS

from .conftest import Load

KEY = Pubkey(bytes(range(32)))


@pytest.mark.parametrize(
    ("code", "name", "message"),
    [
        (6000, "StallClosed", "The stall is closed"),
        (6001, "PriceTooLow", 'The price "offered" is below the minimum'),
        (6100, "NoMessage", "NoMessage"),
    ],
)
def test_from_code__code_of_the_program__is_its_exception(load: Load, code: int, name: str, message: str) -> None:
    errors = load("bazaar.errors")

    error = errors.from_code(code, "close_stall")

    assert type(error) is getattr(errors, name)
    assert (error.code, error.name, error.message, error.context) == (code, name, message, "close_stall")
    assert str(error) == f"close_stall: {name} ({code}): {message}"


def test_from_code__code_of_anchor__is_a_framework_error(load: Load) -> None:
    errors = load("bazaar.errors")

    error = errors.from_code(2001)

    assert isinstance(error, errors.FrameworkError)
    assert (error.name, error.code) == ("ConstraintHasOne", 2001)


def test_from_code__unknown_code__keeps_it(load: Load) -> None:
    errors = load("bazaar.errors")

    error = errors.from_code(31)

    assert isinstance(error, errors.UnknownProgramError)
    assert error.code == 31


def test_framework_errors__every_code__is_outside_the_programs_range() -> None:
    assert all(100 <= code <= 5000 and kind.code == code for code, kind in FRAMEWORK_ERRORS.items())


def test_constants__every_kind__is_typed(load: Load) -> None:
    constants = load("bazaar.constants")

    assert {name: getattr(constants, name) for name in constants.__all__} == {
        "SEED": b"stall",
        "TITLE": 'A "fine" bazaar \U0001f3aa',
        "MAX_FEE": 2**64 - 1,
        "FLOOR": -5,
        "TREASURY": Pubkey.from_string("SysvarC1ock11111111111111111111111111111111"),
        "LIVE": True,
        "RATIO": 0.25,
        "STEPS": (1, 2, 3),
        "NAMES": ("a, b", "c]"),
        "TAG": b"\xff\x00",
        "CAP": 7,
        "BASIS": 10_000,
    }


def test_find__integer_seed__is_little_endian(load: Load) -> None:
    program = load("bazaar.program").PROGRAM_ID

    found = load("bazaar.pdas").find_stall(KEY, 258)

    assert found == Pubkey.find_program_address([b"stall", bytes(KEY), bytes([2, 1, 0, 0, 0, 0, 0, 0])], program)


def test_find__foreign_program__is_named_after_the_associated_token_account(load: Load) -> None:
    mint, token = Pubkey.new_unique(), Pubkey.new_unique()

    found = load("bazaar.pdas").find_associated_token(KEY, token, mint)

    associated = Pubkey.from_string("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL")
    assert found == Pubkey.find_program_address([bytes(KEY), bytes(token), bytes(mint)], associated)


def test_find__same_seeds_again__comes_from_the_cache(load: Load) -> None:
    find = load("bazaar.pdas").find_ledger
    find(KEY)
    hits = addresses.find_address.cache_info().hits

    find(KEY)

    assert addresses.find_address.cache_info().hits == hits + 1


def test_pdas__same_derivation_in_several_instructions__is_one_function(load: Load) -> None:
    names = [
        "find_associated_token",
        "find_event_authority",
        "find_ledger",
        "find_oracle",
        "find_receipt",
        "find_stall",
    ]

    assert load("bazaar.pdas").__all__ == names
