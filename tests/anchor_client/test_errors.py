"""Every refusal has one line and a remedy, and every failed transaction its name."""

from __future__ import annotations

import inspect
import json
from pathlib import Path

import pytest
from solders.instruction import Instruction
from solders.pubkey import Pubkey
from solders.transaction_status import (
    InstructionErrorCustom,
    InstructionErrorFieldless,
    TransactionErrorFieldless,
    TransactionErrorInstructionError,
    TransactionErrorInsufficientFundsForRent,
    TransactionErrorType,
)

from anchor_client import errors
from anchor_client.errors import GpuMarketError, refusal
from anchor_client.generated import errors as generated
from anchor_client.generated.instructions import register_renter
from anchor_client.generated.program import PROGRAM_ID, SYSTEM_PROGRAM, TOKEN_PROGRAM
from anchor_client.market.program import MarketProgram
from anchor_client.solana.transactions.failures import decode_failure

IDL = json.loads((Path(__file__).parents[2] / "idl/gpu_market.json").read_text("utf-8"))
WALLET = Pubkey.new_unique()


@pytest.mark.parametrize("entry", IDL["errors"], ids=lambda entry: str(entry["name"]))
def test_refusal__each_error_of_the_idl__has_its_message_and_a_remedy(entry: dict[str, str | int]) -> None:
    error = refusal(int(entry["code"]), "open_rental")
    kind = getattr(generated, str(entry["name"]))
    assert isinstance(error, kind) and isinstance(error, GpuMarketError)
    assert error.message == f"{entry['msg']} (open_rental)"
    assert error.remedy == errors.REMEDIES[str(entry["name"])]


def test_remedies__names__are_those_of_the_idl() -> None:
    assert set(errors.REMEDIES) == {entry["name"] for entry in IDL["errors"]}


def test_remedies__every_class_and_error__are_one_line_that_ends_with_a_full_stop() -> None:
    classes = [kind for _, kind in inspect.getmembers(errors, inspect.isclass) if issubclass(kind, GpuMarketError)]
    remedies = [*errors.REMEDIES.values(), *(kind.default_remedy for kind in classes)]
    assert len(classes) > 30
    assert [remedy for remedy in remedies if "\n" in remedy or not remedy.endswith(".")] == []


def test_refusal__code_nobody_names__is_still_one_of_ours() -> None:
    error = refusal(5_999)
    assert isinstance(error, errors.ProgramRefusal)
    assert error.code == 5_999


def test_gpu_market_error__raised_and_printed__shows_the_message_alone() -> None:
    assert str(errors.UnknownGpu("h100", ["nvidia-h100-pcie-80gb"])) == "There is no GPU model 'h100'"


def test_unknown_name__near_another__asks_whether_that_was_meant() -> None:
    error = errors.UnknownRegion("eu-wst", ["us-east", "eu-west"])
    assert error.remedy == "Did you mean eu-west?"
    assert errors.UnknownRegion("mars", ["us-east"]).remedy == "Choose one of us-east."


def instruction_of(program: Pubkey) -> Instruction:
    return Instruction(program, b"", [])


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        (TransactionErrorFieldless.BlockhashNotFound, errors.BlockhashExpired),
        (TransactionErrorFieldless.AlreadyProcessed, errors.AlreadyProcessed),
        (TransactionErrorFieldless.AccountInUse, errors.AccountBusy),
        (TransactionErrorFieldless.WouldExceedMaxBlockCostLimit, errors.AccountBusy),
        (TransactionErrorFieldless.AccountNotFound, errors.InsufficientLamports),
        (TransactionErrorFieldless.InsufficientFundsForFee, errors.InsufficientLamports),
        (TransactionErrorFieldless.ProgramAccountNotFound, errors.ProgramMissing),
        (TransactionErrorFieldless.SignatureFailure, errors.MissingSignature),
        (TransactionErrorFieldless.SanitizeFailure, errors.TransactionRefused),
        (TransactionErrorInsufficientFundsForRent(1), errors.InsufficientLamports),
        (
            TransactionErrorInstructionError(0, InstructionErrorFieldless.ComputationalBudgetExceeded),
            errors.ComputeExceeded,
        ),
        (TransactionErrorInstructionError(0, InstructionErrorFieldless.UninitializedAccount), errors.AccountMissing),
        (TransactionErrorInstructionError(0, InstructionErrorFieldless.CallDepth), errors.InstructionRefused),
        (TransactionErrorInstructionError(0, InstructionErrorCustom(6_012)), generated.PriceStale),
        (TransactionErrorInstructionError(0, InstructionErrorCustom(2_000)), errors.ProgramRefusal),
        (TransactionErrorInstructionError(0, InstructionErrorCustom(0)), errors.AccountAddressTaken),
        (TransactionErrorInstructionError(0, InstructionErrorCustom(17)), errors.TokenAccountFrozen),
        (TransactionErrorInstructionError(1, InstructionErrorCustom(1)), errors.TokenBalanceTooLow),
        (TransactionErrorInstructionError(1, InstructionErrorCustom(99)), errors.TokenProgramRefusal),
        (TransactionErrorInstructionError(2, InstructionErrorCustom(1)), errors.InsufficientLamports),
        (TransactionErrorInstructionError(2, InstructionErrorCustom(99)), errors.SystemProgramRefusal),
        (TransactionErrorInstructionError(9, InstructionErrorCustom(6_012)), generated.PriceStale),
    ],
    ids=str,
)
def test_decode_failure__each_kind__is_named(error: TransactionErrorType, expected: type[Exception]) -> None:
    market = register_renter(caller=WALLET, wallet=WALLET, first_nonce=0)
    instructions = [market, instruction_of(TOKEN_PROGRAM), instruction_of(SYSTEM_PROGRAM)]
    decoded = decode_failure(error, MarketProgram(), instructions=instructions)
    assert isinstance(decoded, expected)
    assert "\n" not in decoded.message


def test_decode_failure__inner_program_failed__is_the_inner_programs_error() -> None:
    logs = [
        f"Program {PROGRAM_ID} invoke [1]",
        f"Program {TOKEN_PROGRAM} invoke [2]",
        f"Program {TOKEN_PROGRAM} failed: custom program error: 0x1",
        f"Program {PROGRAM_ID} failed: custom program error: 0x1",
    ]
    failed = TransactionErrorInstructionError(0, InstructionErrorCustom(1))
    decoded = decode_failure(
        failed, MarketProgram(), instructions=[register_renter(caller=WALLET, wallet=WALLET, first_nonce=0)], logs=logs
    )
    assert type(decoded) is errors.TokenBalanceTooLow
    assert decoded.message == "A token account holds too little (register_renter)"
    assert decoded.logs == tuple(logs)


def test_decode_failure__behind_budget_instructions__names_the_instruction() -> None:
    failed = TransactionErrorInstructionError(2, InstructionErrorCustom(6_012))
    decoded = decode_failure(
        failed, MarketProgram(), instructions=[register_renter(caller=WALLET, wallet=WALLET, first_nonce=0)], first=2
    )
    assert decoded.message.endswith("(register_renter)")
