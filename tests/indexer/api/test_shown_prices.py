"""The price shown is the price charged: of every machine, in every token, for every kind of order. Invariant IDX-14."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi.testclient import TestClient
from solders.pubkey import Pubkey
from sqlalchemy import Engine

from anchor_client.generated.pdas import find_vault
from anchor_client.generated.types import MarketParameter, RentalKind
from anchor_client.kinds import KINDS
from anchor_client.market.host.offers import choose_vault
from indexer.api.main import create_app
from indexer.index.ingest import ingest
from indexer.settings import IndexerSettings
from indexer.status import Status
from tests.indexer.databases import in_time
from tests.markets.recorded import Market
from tests.program.harness.actors import AUTHORITY, GPUM, USDC, WSOL
from tests.program.harness.changes import approve_host, post_price, seeded_rates, set_parameter, withdraw_unreserved
from tests.program.harness.flows import opened
from tests.program.harness.staking import set_gpu_model
from tests.program.harness.terms import DAY, HOUR, SUBSIDY_BUDGET, SUBSIDY_FUNDED, WSOL_PRICE

PATH = "/api/marketplace/listings"
WHOLE = seeded_rates(GPUM).subsidy_of(HOUR)
MIDNIGHT = -(-1_800_000_000 // DAY) * DAY
EVERY = {(str(mint), kind) for mint in (GPUM, USDC, WSOL) for kind in KINDS}


class Shown:
    """A market of different machines, and its API."""

    def __init__(self, market: Market, engine: Engine, api: TestClient, status: Status) -> None:
        self.market, self.engine, self.api, self.status = market, engine, api, status
        self.renter = market.renter()

    def get(self, path: str) -> Any:
        """The API's answer, once the index has all there is."""
        clock = self.market.node.clock
        ingest(self.market.transactions(), self.engine)
        self.status.saw_head(clock.slot, clock.unix_timestamp, self.market.market())
        return self.api.get(path).raise_for_status().json()

    def listing(self, listing: Pubkey) -> Any:
        return self.get(f"{PATH}/{listing}")

    def price(self, listing: Pubkey) -> int:
        """Base units of the market token that an order on demand is shown to pay."""
        return int(self.listing(listing)["rates"][0]["base_units_per_hour"])

    def paid(self, listing: Pubkey, rate: dict[str, Any]) -> dict[str, int]:
        """Rates of the order that a price is shown of, which is then withdrawn."""
        market, mint, kind = self.market, Pubkey.from_string(rate["mint"]), KINDS[rate["kind"]]
        shards = {find_vault(mint, shard)[0]: market.vault(mint, shard) for shard in range(2 if mint == GPUM else 1)}
        vault = choose_vault(shards, market.market(), int(rate["subsidy_per_hour"]) * 10_000, market.now)[1]
        bid = market.listing(listing).spot_min_usd if kind is RentalKind.SPOT else 0
        order: dict[str, Any] = {"mint": mint, "shard": vault.shard, "kind": kind, "bid": bid}
        address = opened(market, self.renter, listing=listing, duration=rate["duration"], **order)
        rental = market.rental(address)
        market.act(market.stop_rental(address))
        return {
            "base_units_per_hour": rental.rate,
            "subsidy_per_hour": rental.subsidy_rate,
            "burned_per_hour": rental.burn_rate,
        }


@pytest.fixture
def shown(market: Market, engine: Engine) -> Iterator[Shown]:
    """In the first minutes of a day; an hour of the cheapest machine is less than an order must come to."""
    market.act(set_parameter(MarketParameter.PRIORITY_WINDOW, 0), set_parameter(MarketParameter.ORDER_MIN_USD, 500_000))
    market.wait(MIDNIGHT - market.now)
    market.act(set_gpu_model(1, 100, 3_000_000), post_price(WSOL_PRICE))
    market.list_machine(on_demand_usd=9_000_001, spot_min_usd=8_000_000)
    market.list_machine(gpu_model=6, gpu_count=1, vram_gb=24, region=1, on_demand_usd=190_000, spot_min_usd=120_000)
    market.list_machine(mrl_seconds=7 * DAY, on_demand_usd=5_000_003, spot_min_usd=700_000)
    market.beat()
    status = Status()
    with TestClient(create_app(IndexerSettings(requests_per_client=1_000), engine=engine, status=status)) as api:
        yield Shown(market, engine, api, status)


@pytest.mark.parametrize(
    ("budget", "pool"),
    [
        pytest.param(SUBSIDY_BUDGET, SUBSIDY_FUNDED, id="all"),
        pytest.param(0, SUBSIDY_FUNDED, id="no budget"),
        pytest.param(WHOLE // 3, SUBSIDY_FUNDED, id="a third of an hour's budget"),
        pytest.param(SUBSIDY_BUDGET, WHOLE * 4, id="less than half an hour's share"),
        pytest.param(SUBSIDY_BUDGET, 0, id="empty pool"),
    ],
)
def test_price__every_machine_token_and_kind__is_what_the_order_pays(shown: Shown, budget: int, pool: int) -> None:
    market = shown.market
    gone = SUBSIDY_FUNDED - pool
    market.act(approve_host(budget=budget), *([withdraw_unreserved(gone)] if gone else []))
    for listing in market.listings:
        rates = shown.listing(listing)["rates"]
        assert {(rate["mint"], rate["kind"]) for rate in rates} == EVERY
        for rate in rates:
            for name, units in shown.paid(listing, rate).items():
                assert rate[name] == str(units), (listing, rate)


def test_price__of_time_that_the_machine_is_not_rented_for__is_not_shown(shown: Shown) -> None:
    short = shown.market.list_machine(mrl_seconds=HOUR, on_demand_usd=190_000, spot_min_usd=0)
    long = shown.market.list_machine(mrl_seconds=HOUR // 2, spot_min_usd=0)
    assert shown.listing(short)["rates"] == []
    rates = shown.listing(long)["rates"]
    assert {(rate["kind"], rate["duration"]) for rate in rates} == {("on-demand", HOUR // 2)}


def test_price__budget_drawn_on__is_without_subsidy_until_the_day_ends(shown: Shown) -> None:
    """Kept answers too: nothing of the index changes at midnight."""
    market = shown.market
    first, second, *_ = market.listings
    market.act(approve_host(budget=WHOLE))
    whole = shown.price(second)
    opened(market, shown.renter, listing=first)

    def dearer() -> None:
        assert shown.price(second) > whole

    in_time(dearer)
    full = shown.price(second)
    cheapest = shown.get("/api/gpus")["gpus"]
    clock = market.node.clock
    last = MIDNIGHT + DAY - 1
    shown.status.saw_head(clock.slot, last, market.market())
    assert shown.api.get(f"{PATH}/{second}").json()["rates"][0]["base_units_per_hour"] == str(full)
    shown.status.saw_head(clock.slot, last + 1, market.market())
    assert shown.api.get(f"{PATH}/{second}").json()["rates"][0]["base_units_per_hour"] == str(whole)
    assert shown.api.get("/api/gpus").json()["gpus"] != cheapest


def test_price__pool_filled__is_subsidised_at_once(shown: Shown) -> None:
    market = shown.market
    market.act(withdraw_unreserved(SUBSIDY_FUNDED))
    full = shown.price(market.listings[0])
    market.act(market.fund_subsidy(AUTHORITY, WHOLE * 10))

    def cheaper() -> None:
        assert shown.price(market.listings[0]) < full

    in_time(cheaper)


def test_costs__of_every_kind_and_time__are_there_or_left_out_with_the_reason(shown: Shown) -> None:
    listing = shown.market.list_machine(spot_min_usd=0, on_demand_usd=400_000)
    assert shown.listing(listing)["spot_min_usd"] == 0
    told = {}
    for seconds in (60, 10 * HOUR, 7 * DAY):
        answer = shown.api.get(f"{PATH}/{listing}/costs", params={"duration": seconds}).json()
        left_out = {each["kind"]: (each["reason"], each["shortest"]) for each in answer["left_out"]}
        assert {cost["kind"] for cost in answer["costs"]} == {*KINDS} - {*left_out}
        told[seconds] = left_out
    none, reserved = ("not-offered", None), ("other-term", 7 * DAY)
    least = told[60]["on-demand"][1]
    assert HOUR < least < 10 * HOUR
    assert told == {
        60: {"on-demand": ("too-short", least), "reserved": reserved, "spot": none},
        10 * HOUR: {"reserved": reserved, "spot": none},
        7 * DAY: {"spot": none},
    }
