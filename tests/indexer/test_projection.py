"""One projection of a rental: folding its events gives what the index and its API say, whichever way it ended."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from fastapi.testclient import TestClient
from solders.pubkey import Pubkey
from solders.signature import Signature
from sqlalchemy import Engine

from anchor_client.amounts import Denomination
from anchor_client.generated import accounts
from anchor_client.generated.program import PROGRAM_ID
from anchor_client.generated.types import CloseReason
from anchor_client.market.job import Life, RentalEvent, account_progress
from anchor_client.projection import compensation_paid
from anchor_client.resources.job import JobProgress
from anchor_client.solana.tokens import NATIVE_MINT
from indexer.api.main import create_app
from indexer.index.decode import decode
from indexer.index.ingest import ingest
from indexer.models import Rental
from indexer.settings import IndexerSettings
from indexer.store.events import Decoded
from tests.indexer.spot import bid, contest
from tests.indexer.tables import rows_of
from tests.markets.recorded import Market
from tests.program.harness.actors import KEEPER, USDC
from tests.program.harness.flows import opened, running
from tests.program.harness.spot import held, withdraw_challenger


def live_and_end(market: Market) -> None:
    """A rental of each way to end that one market can show, extended, rated, settled and reported on the way."""
    renter, machines = market.renter(), [market.list_machine() for _ in range(3)]
    stopped, expiring = (
        running(market, renter, listing=machines[0]),
        running(market, renter, listing=machines[1], duration=900, mint=USDC),
    )
    market.pass_time(600)
    market.act(market.settle_rental(stopped))
    market.act(market.rate_rental(stopped, 4))
    market.act(market.extend_rental(stopped, 900))
    market.pass_time(400)
    market.act(market.finalize_rental(expiring))
    market.act(market.stop_rental(stopped))
    withdrawn = opened(market, renter, listing=machines[2])
    market.act(market.stop_rental(withdrawn))
    for machine, reason in zip(
        machines, (CloseReason.HOST_FAULT, CloseReason.HOST_MAINTENANCE, CloseReason.ORDER_REFUSED), strict=True
    ):
        given_up = (
            running(market, renter, listing=machine)
            if reason is not CloseReason.ORDER_REFUSED
            else opened(market, renter, listing=machine)
        )
        market.pass_time(120)
        market.act(market.cancel_rental(given_up, reason))
    late = opened(market, renter, listing=machines[1])
    market.pass_time(1_000)
    market.act(market.cancel_unstarted(late))
    silent = running(market, renter, listing=machines[2])
    market.fall_silent(machines[2])
    market.act(market.report_offline(silent))
    listing = contest(market)
    held(market, renter, listing=listing)
    kept_waiting = bid(market, market.renter(), listing, 2_500_000)
    market.pass_time(1_000)
    market.act(withdraw_challenger(market, kept_waiting, caller=KEEPER))


def told(market: Market) -> dict[str, Life]:
    """The life of each rental, folded from its events."""
    lives: dict[str, Life] = {}
    for transaction in market.transactions():
        for found in decode(transaction, str(PROGRAM_ID)):
            assert isinstance(found, Decoded)
            told = RentalEvent(found.event, Signature.from_string(transaction.signature), transaction.slot)
            rental, paid = getattr(found.event, "rental", None), compensation_paid(found.event)
            if isinstance(rental, Pubkey) and not type(found.event).__name__.startswith(("Request", "Meter", "Usage")):
                lives.setdefault(str(rental), Life()).tell(told)
            if paid is not None:
                lives[paid.holder].tell(told)
    return lives


def progress_at(market: Market, address: str, answer: dict[str, Any]) -> JobProgress | None:
    """The client's progress of a rental, from its accounts in the second of the API's answer; None unless it runs."""
    rental_address = Pubkey.from_string(address)
    if not market.exists(rental_address):
        return None
    rental = market.read(accounts.Rental, rental_address)
    clock = market.node.clock
    clock.unix_timestamp = (answer["progress"] or {"as_of": clock.unix_timestamp})["as_of"]
    return account_progress(rental, market.read(accounts.Listing, rental.listing), clock)


def test_rental__every_way_to_end__client_and_index_agree_in_every_field(market: Market, engine: Engine) -> None:
    live_and_end(market)
    ingest(market.transactions(), engine)
    rows = {row.address: row for row in rows_of(engine, Rental)}
    lives = told(market)
    assert lives.keys() == rows.keys()
    assert {row.close_reason for row in rows.values()} >= {
        *("stopped", "expired", "withdrawn", "host_fault", "host_maintenance", "order_refused"),
        *("provision_timeout", "host_offline", "preempted", "outbid", "take_over_timeout"),
    }
    with TestClient(create_app(IndexerSettings(), engine=engine)) as api:
        for address, life in lives.items():
            assert life.record is not None
            record = asdict(life.record)
            assert record == {name: getattr(rows[address], name) for name in record}
            mint = Pubkey.from_string(life.record.mint)
            decimals = 9 if mint == NATIVE_MINT else 6
            listing = market.read(accounts.Listing, Pubkey.from_string(life.record.listing))
            answer = api.get(f"/api/jobs/{address}").json()
            job = life.job(listing, Denomination("", decimals), progress_at(market, address, answer)).to_json()
            assert answer == job | {"token": "SOL" if mint == NATIVE_MINT else None}
