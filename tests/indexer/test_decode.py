"""Inner instructions that are events, and their decoding. Invariant IDX-2."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from solders.instruction import AccountMeta, Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import events
from anchor_client.generated.pdas import find_event_authority
from anchor_client.generated.program import PROGRAM_ID
from indexer.errors import UnreadableTransaction
from indexer.index.decode import decode
from indexer.index.handlers import HANDLERS
from indexer.index.handlers.step import on
from indexer.index.transaction import InnerInstruction, Transaction, transaction_from_json
from indexer.store.events import Decoded, UnreadableEvent
from tests.markets.recorded import Market, result_of
from tests.program.harness.outcome import expect_refusal

PROGRAM = str(PROGRAM_ID)
FOREIGN = str(Pubkey.from_bytes(bytes([5] * 32)))
ROOT = Path(__file__).parents[2]
IDL = ROOT / "idl/gpu_market.json"
EVENTS = ROOT / "programs/gpu_market/src/events"
RENTER_REGISTERED = events.RenterRegistered(
    profile=Pubkey.from_bytes(bytes([1] * 32)), wallet=Pubkey.from_bytes(bytes([2] * 32)), next_nonce=0, at=7
)
TAGGED = events.EVENT_TAG + RENTER_REGISTERED.encode()
UNTAGGED = bytes(len(events.EVENT_TAG)) + RENTER_REGISTERED.encode()


def call(program: str, data: bytes = b"\x09", height: int | None = 2) -> InnerInstruction:
    return InnerInstruction(program, data, height)


def test_events__all__say_the_programs_time() -> None:
    """Nothing is derived from the time that a node says of a block."""
    assert [kind.__name__ for kind in events.EVENTS.values() if "at" not in kind.LAYOUT.layouts] == []


def transaction(*calls: InnerInstruction, outer: str = PROGRAM, failed: bool = False) -> Transaction:
    return Transaction("5" * 88, 10, 3, failed, (outer,), {0: calls})


def test_decode__self_cpi_with_tag__gives_the_event() -> None:
    [outcome] = decode(transaction(call(PROGRAM, TAGGED)), PROGRAM)
    assert isinstance(outcome, Decoded)
    assert outcome.event == RENTER_REGISTERED
    assert (outcome.origin.instruction_index, outcome.origin.inner_index) == (0, 0)
    assert outcome.data == RENTER_REGISTERED.encode()


@pytest.mark.parametrize(
    "spoof",
    [
        pytest.param(transaction(call(FOREIGN, TAGGED), outer=FOREIGN), id="foreign_program_calls_foreign"),
        pytest.param(transaction(call(FOREIGN, TAGGED)), id="our_program_calls_foreign"),
        pytest.param(transaction(call(PROGRAM, TAGGED), outer=FOREIGN), id="foreign_program_calls_ours"),
        pytest.param(transaction(call(FOREIGN), call(PROGRAM, TAGGED, 3)), id="foreign_program_below_ours_calls_ours"),
        pytest.param(transaction(call(PROGRAM, UNTAGGED)), id="our_program_calls_an_instruction_of_ours"),
        pytest.param(Transaction("5" * 88, 10, 3, False, (PROGRAM,), {}), id="top_level_only"),
        pytest.param(transaction(call(PROGRAM, TAGGED), failed=True), id="failed_transaction"),
    ],
)
def test_decode__not_emitted_by_our_program__gives_nothing(spoof: Transaction) -> None:
    assert decode(spoof, PROGRAM) == []


def test_decode__our_program_called_by_another__gives_its_events() -> None:
    nested = transaction(call(PROGRAM, b"\x01"), call(PROGRAM, TAGGED, 3), outer=FOREIGN)
    assert [type(outcome) for outcome in decode(nested, PROGRAM)] == [Decoded]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"unknown!" + bytes(40), id="unknown_event"),
        pytest.param(events.RentalClosed.DISCRIMINATOR + bytes(10), id="cut_short"),
        pytest.param(b"", id="empty"),
    ],
)
def test_decode__unreadable_event_of_ours__is_reported(data: bytes) -> None:
    [outcome] = decode(transaction(call(PROGRAM, events.EVENT_TAG + data)), PROGRAM)
    assert isinstance(outcome, UnreadableEvent)
    assert outcome.data == data


def test_decode__event_with_newer_fields__is_read() -> None:
    [outcome] = decode(transaction(call(PROGRAM, TAGGED + bytes(8))), PROGRAM)
    assert isinstance(outcome, Decoded)
    assert outcome.event == RENTER_REGISTERED


def test_decode__tagged_instruction_sent_by_a_wallet__is_no_event(market: Market) -> None:
    authority = AccountMeta(find_event_authority()[0], is_signer=False, is_writable=False)
    with expect_refusal():
        market.act(Instruction(PROGRAM_ID, TAGGED, [authority]))
    assert decode(transaction_from_json(result_of(market.records[-1])), PROGRAM) == []


def test_handlers__events_of_the_idl__each_has_one() -> None:
    named = {event["name"] for event in json.loads(IDL.read_text())["events"]}
    assert named == {kind.__name__ for kind in HANDLERS} == {kind.__name__ for kind in events.EVENTS.values()}
    for kind, handler in HANDLERS.items():
        assert handler.__name__.removeprefix("on_").replace("_", "") == kind.__name__.lower()


def test_handlers__areas_of_the_program__are_theirs() -> None:
    areas = {path.stem: path.read_text() for path in EVENTS.glob("*.rs")}
    for kind, handler in HANDLERS.items():
        assert f"pub struct {kind.__name__} " in areas[handler.__module__.rpartition(".")[2]]


def test_on__event_with_a_handler__is_refused() -> None:
    with pytest.raises(ValueError, match="RenterRegistered has a handler"):
        on(events.RenterRegistered)(HANDLERS[events.RenterRegistered])


def test_transaction_from_json__no_inner_instructions_kept__is_refused(market: Market) -> None:
    result = result_of(market.records[0])
    result["meta"] = {**result["meta"], "innerInstructions": None}
    with pytest.raises(UnreadableTransaction, match="inner instructions"):
        transaction_from_json(result)
