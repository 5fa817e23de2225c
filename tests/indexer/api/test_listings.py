"""A listing as the API tells it, and as the client reads it from its account, in every state that it can be in."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from solders.pubkey import Pubkey
from sqlalchemy import Engine

from anchor_client.generated.accounts import Vault
from anchor_client.generated.instructions import update_listing
from anchor_client.generated.types import OracleKind
from anchor_client.market.host.offers import offers_of
from anchor_client.resources.payment_token import payment_token
from anchor_client.rules.hourly import Pricing
from indexer.api.main import create_app
from indexer.index.ingest import ingest
from indexer.settings import IndexerSettings
from indexer.status import Status
from tests.indexer.databases import in_time, on_both_databases
from tests.markets.recorded import Market
from tests.markets.spec import spec_with
from tests.program.harness.actors import GPUM, HOST, LISTING, USDC, WSOL
from tests.program.harness.flows import running
from tests.program.harness.tokens import put_tokens


class Told:
    """The market's one machine as both sides tell it."""

    def __init__(self, market: Market, engine: Engine, api: TestClient, status: Status) -> None:
        self.market, self.engine, self.api, self.status = market, engine, api, status

    def get(self, path: str) -> Any:
        """The API's answer, once the index has all there is."""
        clock = self.market.node.clock
        ingest(self.market.transactions(), self.engine)
        self.status.saw_head(clock.slot, clock.unix_timestamp, self.market.market())
        return self.api.get(path).json()

    def listing(self) -> dict[str, Any]:
        """The listing, of which both say the same."""
        return in_time(self._listing)

    def _listing(self) -> dict[str, Any]:
        answer: dict[str, Any] = self.get(f"/api/marketplace/listings/{LISTING}")
        market, listing = self.market.market(), self.market.listing()
        owing = {listing.owed_vault: self.market.read(Vault, listing.owed_vault)} if listing.owed else {}
        [offer] = offers_of(
            {LISTING: listing},
            {listing.host: self.market.host()},
            now=self.market.now,
            offline_after=market.offline_after,
            owing=owing,
        )
        mints = [self.market.payment_mint(mint) for mint in (USDC, GPUM, WSOL)]
        pools = [self.market.vault(), self.market.vault(shard=1)]
        priced = [(mint, mint.price) for mint in mints]
        pricing = Pricing.at(market, market.market_mint, priced, pools, self.market.now)
        assert offer.listed(pricing).to_json() == answer | {"issues_reported": None, "verified": None, "measured": None}
        available = sum(gpu["available"] for gpu in self.get("/api/gpus")["gpus"])
        assert offer.is_available == answer["available"] == (available == 1)
        return answer


@pytest.fixture
def told(market: Market, engine: Engine) -> Iterator[Told]:
    status = Status()
    with TestClient(create_app(IndexerSettings(), engine=engine, status=status)) as api:
        yield Told(market, engine, api, status)


def unpaid(market: Market, payee: Pubkey | None = None) -> Pubkey:
    """A rental in USDC that ends while the host's account, or that of its renter, is frozen."""
    renter = market.renter()
    rental = running(market, renter, mint=USDC)
    market.pass_time(200)
    payee = renter if payee is None else payee
    put_tokens(market.cluster, USDC, payee, market.tokens(payee, USDC), frozen=True)
    market.act(market.stop_rental(rental))
    put_tokens(market.cluster, USDC, payee, market.tokens(payee, USDC))
    return rental


def test_listing__overdue_marked_silent_and_heard__says_since_when(told: Told) -> None:
    market = told.market
    market.beat()
    heard_at = market.now
    assert told.listing()["silence"] == "heard" and told.listing()["silent_since"] is None
    market.wait(market.market().offline_after + 1)
    overdue = told.listing()
    assert (overdue["status"], overdue["silence"]) == ("offline", "heard")
    market.act(market.mark_silent())
    answer_by = market.now + market.market().answer_window
    marked = told.listing()
    assert (marked["silence"], marked["silent_since"], marked["answer_by"]) == ("marked", heard_at, answer_by)
    market.wait(market.market().answer_window)
    market.act(market.mark_silent())
    silent = told.listing()
    assert (silent["silence"], silent["silent_since"], silent["answer_by"]) == ("silent", heard_at, None)
    market.beat()
    heard = told.listing()
    assert (heard["silence"], heard["silent_since"], heard["status"]) == ("heard", None, "available")


def test_listing__silence_that_ends_a_rental__is_told(told: Told) -> None:
    market = told.market
    rental = running(market, market.renter())
    market.fall_silent()
    assert told.listing()["silence"] == "marked"
    market.act(market.report_offline(rental))
    assert told.listing()["silence"] == "silent"


def test_listing__spec_changed__has_another_version(told: Told) -> None:
    market = told.market
    first = told.listing()["spec_version"]
    market.act(update_listing(authority=HOST, listing=LISTING, spec=spec_with(ram_gb=512)))
    assert told.listing()["spec_version"] == first + 1
    rental = running(market, market.renter())
    assert told.get(f"/api/jobs/{rental}")["spec_version"] == first + 1


@on_both_databases
def test_listing__owes_its_host__takes_no_order_until_claimed(told: Told) -> None:
    market = told.market
    unpaid(market, HOST)
    owing = told.listing()
    assert (owing["status"], owing["owed"], owing["owed_mint"]) == ("owing", str(market.listing().owed), str(USDC))
    assert owing["owed"] != "0"
    assert told.get("/api/marketplace/listings?available=true")["listings"] == []
    assert told.get(f"/api/marketplace/listings/{LISTING}/spot")["minimum_bid_usd"] is None
    market.act(market.claim_payout())
    assert told.get(f"/api/marketplace/listings/{LISTING}/spot")["minimum_bid_usd"] == market.listing().spot_min_usd
    claimed = told.listing()
    assert (claimed["status"], claimed["owed"], claimed["owed_mint"]) == ("available", "0", None)


def test_job__owes_its_renter__until_claimed(told: Told) -> None:
    market = told.market
    rental = unpaid(market)
    owing = told.get(f"/api/jobs/{rental}")
    assert owing["owed"] == owing["refunded"] == str(market.rental(rental).deposit) != "0"
    assert owing["charged"] >= owing["used"] > 0
    market.act(market.claim_refund(rental))

    def refunded() -> None:
        claimed = told.get(f"/api/jobs/{rental}")
        assert (claimed["owed"], claimed["refunded"]) == ("0", owing["refunded"])

    in_time(refunded)


def test_listing__unknown__is_not_found_with_a_remedy(told: Told) -> None:
    answer = told.api.get(f"/api/marketplace/listings/{HOST}")
    assert (answer.status_code, answer.json()["error"]) == (404, "listing_not_found") and answer.json()["remedy"]


def test_tokens__payment_mints__say_who_may_freeze_them(told: Told) -> None:
    found = {each["mint"]: each for each in told.get("/api/tokens")["tokens"]}
    named = {GPUM: "GPUM", USDC: None, WSOL: "SOL"}
    accounts = [(told.market.payment_mint(mint), token) for mint, token in named.items()]
    read = [payment_token(account, oracle=OracleKind(account.oracle_kind), token=token) for account, token in accounts]
    assert found == {str(token.mint): token.to_json() for token in read}
    assert [found[str(mint)]["freezable"] for mint in (GPUM, USDC, WSOL)] == [False, True, False]
    assert int(found[str(GPUM)]["price"]) > 0
