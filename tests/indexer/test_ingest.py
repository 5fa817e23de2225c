"""Transactions into tables: each event once, all of a batch or nothing, and the same again from raw events.
Invariants IDX-1 to IDX-5.
"""

from __future__ import annotations

import dataclasses
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from solders.pubkey import Pubkey
from sqlalchemy import Engine

from anchor_client.generated import accounts, events
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.generated.types import MarketParameter
from indexer.index.ingest import OutOfOrder, ingest
from indexer.index.proof.reconcile import LEDGER
from indexer.index.rebuild import rebuild
from indexer.index.transaction import InnerInstruction, Transaction
from indexer.models import Cursor, DeadLetter, Listing, RawEvent, Rental, RentalState, Renter, SeqGap, Vault
from indexer.store.raw_events import BLOCKHASH_SLOTS, NEIGHBOURHOOD
from tests.indexer.busy import busy
from tests.indexer.databases import on_both_databases, sqlite
from tests.indexer.staking import busy_stakers, come_and_go, released
from tests.indexer.tables import contents, names_of, only, rows_of
from tests.markets.recorded import Market, as_transaction
from tests.program.harness.actors import GPUM, HOST, STRANGER
from tests.program.harness.changes import TERMS, set_parameter
from tests.program.harness.flows import running
from tests.program.harness.outcome import expect_refusal
from tests.program.harness.staking import sweep_stakers
from tests.program.harness.terms import HOUR
from tests.sweeps import exhaustive, nightly, sampled

PROGRAM = str(PROGRAM_ID)

ingest_module = sys.modules["indexer.index.ingest"]
stored_events = sys.modules["indexer.store.events"]
rebuild_module = sys.modules["indexer.index.rebuild"]


@on_both_databases
def test_ingest__every_way_to_end__equals_the_chain(market: Market, engine: Engine) -> None:
    busy_stakers(market)
    come_and_go(market)
    released(market)
    busy(market)
    market.act(sweep_stakers())

    result = ingest(market.transactions(), engine)

    assert (result.dead_letters, result.gaps, result.late) == (0, {}, 0)
    seen = {row.name for row in rows_of(engine, RawEvent)}
    assert seen == {kind.__name__ for kind in events.EVENTS.values()}
    assert_ledgers(market, engine)
    assert {row.close_reason for row in rows_of(engine, Rental)} == {
        "stopped", "expired", "withdrawn", "host_fault", "provision_timeout", "host_offline",
        "preempted", "outbid", "finished",
    }  # fmt: skip
    for row in rows_of(engine, Rental):
        assert row.deposit + row.subsidy == row.host_paid + row.fees + row.burned + row.refunded + row.subsidy_returned
    assert_listings(market, engine)
    assert_renters(market, engine)


def assert_ledgers(market: Market, engine: Engine) -> None:
    """Every vault, field by field."""
    vaults = rows_of(engine, Vault)
    assert len(vaults) >= sum(terms.shards for terms in TERMS.values())
    for vault in vaults:
        account = market.read(accounts.Vault, Pubkey.from_string(vault.address))
        assert {name: getattr(vault, name) for name in LEDGER} == {name: getattr(account, name) for name in LEDGER}


def assert_listings(market: Market, engine: Engine) -> None:
    for row in rows_of(engine, Listing):
        if row.closed_at:
            assert not market.exists(Pubkey.from_string(row.address))
            continue
        account = market.read(accounts.Listing, Pubkey.from_string(row.address))
        for name in (
            "seq", "opened", "completed", "failed", "tracked_seconds", "up_seconds", "rating_sum", "rating_weight",
            "last_heartbeat_at", "idle_since", "on_demand_usd", "region", "mrl_seconds", "keep_days",
        ):  # fmt: skip
            assert getattr(row, name) == getattr(account, name), name


def test_ingest__another_operator__is_the_listings(market: Market, engine: Engine) -> None:
    listing = market.list_machine()
    market.act(market.set_operator(STRANGER, listing))
    ingest(market.transactions(), engine)
    operators = {row.address: row.operator for row in rows_of(engine, Listing)}
    assert operators == {str(key): str(market.listing(key).operator) for key in market.listings}
    assert operators[str(listing)] == str(STRANGER)


def assert_renters(market: Market, engine: Engine) -> None:
    for row in rows_of(engine, Renter):
        if row.closed_at is not None:
            assert not market.exists(Pubkey.from_string(row.profile))
            continue
        profile = market.read(accounts.RenterProfile, Pubkey.from_string(row.profile))
        for name in ("next_nonce", "active_rentals", "completed_rentals", "spent_usd", "reported_usd"):
            assert getattr(row, name) == getattr(profile, name), name


def test_ingest__one_stopped_rental__balances_equal_the_chain(market: Market, engine: Engine) -> None:
    renter = market.renter()
    before = market.tokens(renter, GPUM)
    host_before = market.tokens(HOST, GPUM)
    rental = running(market, renter, listing=market.listings[0], duration=2 * HOUR)
    market.pass_time(1_000)
    market.act(market.settle_rental(rental))
    market.act(market.stop_rental(rental))

    ingest(market.transactions(), engine)

    row = only(engine, Rental)
    assert row.close_tx == str(market.records[-1].signature)
    assert row.deposit - row.refunded == before - market.tokens(renter, GPUM)
    assert row.host_paid == market.tokens(HOST, GPUM) - host_before
    assert row.burned > 0 and row.fees > 0 and row.refunded > 0
    history = [(state.status, state.ts > 0, state.message != "") for state in rows_of(engine, RentalState)]
    assert history == [(status, True, True) for status in ("queued", "provisioning", "running", "completed")]


def test_ingest__given_twice__changes_nothing(market: Market, engine: Engine) -> None:
    ingest(market.transactions(), engine)
    once = contents(engine)
    again = ingest(market.transactions(), engine)
    assert again.events == 0 and contents(engine) == once


@pytest.mark.parametrize("batch", sampled([7, 1, 2, 1_000], every=4))
def test_ingest__any_batch_size__gives_the_same_tables(
    market: Market, sqlite_engine: Engine, batch: int, tmp_path: Path
) -> None:
    busy(market)
    ingest(market.transactions(), sqlite_engine, batch=batch)
    with sqlite(tmp_path / "whole.db") as other:
        ingest(market.transactions(), other)
        assert contents(sqlite_engine) == contents(other)


@on_both_databases
@pytest.mark.parametrize("at", ["project", "_advance", "raw_event"])
def test_ingest__exception_inside_the_transaction__leaves_nothing(
    market: Market, engine: Engine, monkeypatch: pytest.MonkeyPatch, at: str
) -> None:
    first, rest = market.transactions()[:2], market.transactions()
    ingest(first, engine)
    before = contents(engine)

    def fail(*arguments: Any, **named: Any) -> Any:
        raise RuntimeError("power")

    with monkeypatch.context() as patched:
        patched.setattr(ingest_module, at, fail)
        with pytest.raises(RuntimeError, match="power"):
            ingest(rest, engine)
    assert contents(engine) == before
    assert ingest(rest, engine).gaps == {}
    assert_ledgers(market, engine)


@pytest.mark.parametrize("every", [331, exhaustive(97), nightly(11)])
def test_ingest__stopped_after_any_batch__resumes_to_the_same_tables(
    market: Market, sqlite_engine: Engine, tmp_path: Path, every: int
) -> None:
    busy(market)
    transactions = market.transactions()
    ingest(transactions, sqlite_engine)
    whole = contents(sqlite_engine)
    for stop in range(1, len(transactions), every):
        with sqlite(tmp_path / f"{stop}.db") as other:
            ingest(transactions[:stop], other, batch=3)
            cursor = only(other, Cursor)
            place = (cursor.slot, cursor.transaction_index)
            ingest([item for item in transactions if (item.slot, item.index) > place], other, batch=4)
            assert contents(other) == whole


@on_both_databases
@pytest.mark.parametrize("slots", [-BLOCKHASH_SLOTS, 1, BLOCKHASH_SLOTS])
@pytest.mark.parametrize("place", [0, BLOCKHASH_SLOTS, NEIGHBOURHOOD - 1])
def test_ingest__same_transaction_in_another_slot__is_known(
    market: Market, engine: Engine, slots: int, place: int
) -> None:
    begun = dataclasses.replace(market.transactions()[0], slot=100 * NEIGHBOURHOOD + place)
    moved = dataclasses.replace(begun, slot=begun.slot + slots)
    assert ingest([begun], engine).events > 0
    assert ingest([moved], engine).events == 0


@on_both_databases
def test_ingest__two_writers_on_one_database__ingest_each_event_once(market: Market, engine: Engine) -> None:
    busy(market)
    transactions = market.transactions()
    with ThreadPoolExecutor(2) as pool:
        results = list(pool.map(lambda _: ingest(transactions, engine, batch=5), range(2)))
    assert sum(result.events for result in results) == len(rows_of(engine, RawEvent))
    assert_ledgers(market, engine)
    assert rows_of(engine, SeqGap) == []


def test_ingest__failed_transaction__leaves_no_event(market: Market, engine: Engine) -> None:
    wrong = market.open_rental(market.renter(), max_deposit=1)
    with expect_refusal():
        market.act(set_parameter(MarketParameter.TIP_LAMPORTS, 5), wrong)
    failed = market.records[-1]
    assert failed.err is not None
    assert any(call["data"] for group in failed.meta["innerInstructions"] for call in group["instructions"])

    ingest(market.transactions(), engine)

    assert str(failed.signature) not in {row.signature for row in rows_of(engine, RawEvent)}
    assert only(engine, Cursor).signature == str(failed.signature)
    assert rows_of(engine, Rental) == []


def test_ingest__undecodable_event__becomes_a_dead_letter(market: Market, engine: Engine) -> None:
    last = market.transactions()[-1]
    bad = dataclasses.replace(
        last,
        signature="6" * 88,
        index=last.index + 1,
        programs=(PROGRAM,),
        inner={0: (InnerInstruction(PROGRAM, events.EVENT_TAG + b"newevent", 2),)},
    )
    result = ingest([*market.transactions(), bad], engine)
    assert result.dead_letters == 1
    letter = only(engine, DeadLetter)
    assert (letter.signature, letter.error, bytes(letter.data)) == ("6" * 88, "UnknownEvent", b"newevent")
    assert ingest([bad], engine).dead_letters == 0
    rebuild(engine)
    assert only(engine, DeadLetter).signature == "6" * 88


def test_rebuild__dead_letter_that_can_be_read_by_now__joins_the_events(
    market: Market, engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    readable = stored_events.decode_event

    def older_client(data: bytes) -> Any:
        if data[:8] == events.PricePosted.DISCRIMINATOR:
            raise events.UnknownEvent("too new")
        return readable(data)

    with monkeypatch.context() as patched:
        patched.setattr(stored_events, "decode_event", older_client)
        assert ingest(market.transactions(), engine).dead_letters == 1
    rebuild(engine)
    assert rows_of(engine, DeadLetter) == [] and rows_of(engine, SeqGap) == []
    assert "PricePosted" in {row.name for row in rows_of(engine, RawEvent)}


def test_ingest__event_missing__is_a_gap_and_repaired_by_rebuild(market: Market, engine: Engine) -> None:
    renter = market.renter()
    rental = running(market, renter, listing=market.listings[0])
    market.pass_time(120)
    market.act(market.settle_rental(rental))
    settled = market.records[-1]
    market.act(market.stop_rental(rental))
    transactions = market.transactions()
    missed = as_transaction(settled)

    result = ingest([item for item in transactions if item.signature != missed.signature], engine)

    assert result.gaps == {"rental": 1, "listing": 1, "vault": 1}
    kinds = {(gap.kind, gap.found - gap.expected) for gap in rows_of(engine, SeqGap)}
    assert kinds == {("rental", 1), ("listing", 1), ("vault", 1)}
    assert ingest([missed], engine).late == 1
    rebuild(engine)
    assert rows_of(engine, SeqGap) == []
    assert_ledgers(market, engine)


def test_ingest__money_of_a_missed_event__wraps_and_is_repaired(market: Market, engine: Engine) -> None:
    renter = market.renter()
    rental = running(market, renter, listing=market.listings[0])
    market.pass_time(120)
    market.act(market.stop_rental(rental))
    transactions = market.transactions()
    funding = next(item for item in transactions if "SubsidyFunded" in names_of(item))

    result = ingest([item for item in transactions if item != funding], engine)

    assert result.gaps == {"vault": 1}
    assert max(row.subsidy_pool for row in rows_of(engine, Vault)) > 2**63
    assert ingest([funding], engine).late == len(names_of(funding))
    rebuild(engine)
    assert rows_of(engine, SeqGap) == []
    assert_ledgers(market, engine)


def test_ingest__history_begins_in_the_middle__is_gaps_and_no_crash(market: Market, engine: Engine) -> None:
    busy(market)
    result = ingest(market.transactions()[len(market.records) // 2 :], engine)
    assert sum(result.gaps.values()) > 0 and len(rows_of(engine, SeqGap)) == sum(result.gaps.values())


@on_both_databases
def test_rebuild__after_everything__gives_the_same_tables(market: Market, engine: Engine) -> None:
    busy(market)
    ingest(market.transactions(), engine)
    before = contents(engine)
    assert rebuild(engine) == len(before["raw_event"])
    assert contents(engine) == before


def test_ingest__several_in_one_slot__keep_the_order_of_the_block(market: Market, engine: Engine) -> None:
    market.node.pause()
    renter = market.renter()
    rental = running(market, renter, listing=market.listings[0])
    slots = {record.slot for record in market.records[-3:]}
    assert len(slots) == 1
    ingest(market.transactions(), engine)
    assert [state.status for state in rows_of(engine, RentalState)] == ["queued", "provisioning", "running"]
    assert only(engine, Rental).address == str(rental)


def test_ingest__out_of_order__is_refused(market: Market, engine: Engine) -> None:
    one, two, *_ = market.transactions()
    with pytest.raises(OutOfOrder):
        ingest([two, one], engine)
    assert rows_of(engine, RawEvent) == []


def test_ingest__killed_between_batches__committed_batches_stay(market: Market, engine: Engine) -> None:
    def until_killed() -> Any:
        transactions: list[Transaction] = market.transactions()
        yield from transactions[:4]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ingest(until_killed(), engine, batch=2)
    assert only(engine, Cursor).signature == market.transactions()[3].signature
    assert ingest(market.transactions(), engine).gaps == {}
    assert_ledgers(market, engine)
