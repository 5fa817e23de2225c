"""Hosts' measurements of their machines: who signs them, how long they are shown, and filters by them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import asdict, replace
from typing import Any

import httpx2
import pytest
from fastapi.testclient import TestClient
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from sqlalchemy import Engine

from anchor_client.generated import instructions
from anchor_client.machine.figures import Figures, SignedFigures
from anchor_client.rules.driver import driver_rank
from anchor_client.solana.wallet import Wallet
from indexer.api.main import create_app
from indexer.index.ingest import ingest
from indexer.index.rebuild import rebuild
from indexer.models import MachineFigures
from indexer.settings import IndexerSettings
from tests.indexer.databases import on_both_databases
from tests.indexer.tables import rows_of
from tests.markets.recorded import Market
from tests.markets.spec import spec_with
from tests.program.harness.actors import HOST, LISTING
from tests.program.harness.keys import keypair_of

PATH = "/api/marketplace/listings"
FIGURES = Figures(
    spec_version=0,
    driver="570.86.15",
    pcie_generation=5,
    pcie_width=16,
    fp32_gflops=58_200,
    disk_mbps=900,
    network_mbps=800,
)
HOUR_MS = 3_600_000


@pytest.fixture
def wallet() -> Wallet:
    return Wallet(keypair_of(HOST))


@pytest.fixture
def figures(market: Market) -> Figures:
    """Of the machine as it is listed."""
    return replace(FIGURES, spec_version=market.listing(LISTING).spec_version)


@pytest.fixture
def api(market: Market, engine: Engine) -> Iterator[TestClient]:
    """With another machine, which has no figures."""
    market.list_machine()
    ingest(market.transactions(), engine)
    with TestClient(create_app(IndexerSettings(requests_per_client=1_000), engine=engine)) as client:
        yield client


def put(api: TestClient, signed: SignedFigures, **changes: Any) -> httpx2.Response:
    posted = {"figures": asdict(signed.figures), "signed_at": signed.signed_at, "signature": str(signed.signature)}
    return api.put(f"{PATH}/{signed.listing}/figures", json=posted | changes)


def found(api: TestClient, **filters: Any) -> set[str]:
    return {each["id"] for each in api.get(PATH, params=filters).json()["listings"]}


def refused(answer: httpx2.Response, status: int, error: str) -> None:
    body = answer.json()
    assert (answer.status_code, body["error"]) == (status, error), body
    assert body["detail"] and body["remedy"]


@on_both_databases
def test_figures__signed_by_the_operator__are_told_with_the_listing(
    api: TestClient, wallet: Wallet, figures: Figures, engine: Engine
) -> None:
    assert api.get(f"{PATH}/{LISTING}").json()["measured"] is None
    signed = SignedFigures.signed(wallet, LISTING, figures)
    for _ in range(2):  # the same again changes nothing
        assert put(api, signed).status_code == 200
    told = api.get(f"{PATH}/{LISTING}").json()["measured"]
    assert told == {"measured_at": signed.signed_at // 1_000} | {
        name: value for name, value in asdict(figures).items() if name != "spec_version"
    }
    assert [each["measured"] for each in api.get(PATH).json()["listings"] if each["id"] == str(LISTING)] == [told]
    rebuild(engine)
    assert [row.listing for row in rows_of(engine, MachineFigures)] == [str(LISTING)]


@on_both_databases
@pytest.mark.parametrize(
    ("name", "holds", "fails"),
    [
        ("min_driver", ("570", "570.86", "570.86.15", "9.1"), ("570.86.16", "571")),
        ("min_tflops", ("0", "58"), ("59",)),
        ("min_disk_mbps", ("900",), ("901",)),
        ("min_network_mbps", ("800",), ("801",)),
    ],
)
def test_listings__filter_of_a_figure__leaves_out_the_lesser_and_the_unmeasured(
    api: TestClient, wallet: Wallet, figures: Figures, name: str, holds: tuple[str, ...], fails: tuple[str, ...]
) -> None:
    assert len(found(api)) == 2
    assert put(api, SignedFigures.signed(wallet, LISTING, figures)).status_code == 200
    assert [found(api, **{name: least}) for least in holds] == [{str(LISTING)}] * len(holds)
    assert [found(api, **{name: least}) for least in fails] == [set()] * len(fails)


def test_figures__machine_is_listed_otherwise__are_told_no_more(
    market: Market, engine: Engine, api: TestClient, wallet: Wallet, figures: Figures
) -> None:
    signed = SignedFigures.signed(wallet, LISTING, figures)
    assert put(api, signed).status_code == 200
    market.act(instructions.update_listing(authority=HOST, listing=LISTING, spec=spec_with(ram_gb=1)))
    ingest(market.transactions(), engine)
    assert api.get(f"{PATH}/{LISTING}").json()["measured"] is None
    refused(put(api, signed), 409, "figures_outdated")


def test_figures__of_another_key__are_refused(api: TestClient, wallet: Wallet, figures: Figures) -> None:
    refused(put(api, SignedFigures.signed(Wallet(Keypair()), LISTING, figures)), 403, "figures_not_signed")
    signed = SignedFigures.signed(wallet, LISTING, figures)
    refused(put(api, replace(signed, figures=replace(figures, fp32_gflops=90_000))), 403, "figures_not_signed")
    refused(put(api, signed, signature="2" * 64), 403, "figures_not_signed")
    assert api.get(f"{PATH}/{LISTING}").json()["measured"] is None


def test_figures__older_than_those_kept_or_out_of_time__are_refused(
    api: TestClient, wallet: Wallet, figures: Figures
) -> None:
    now = int(time.time() * 1_000)
    assert put(api, SignedFigures.signed(wallet, LISTING, figures, now)).status_code == 200
    refused(put(api, SignedFigures.signed(wallet, LISTING, figures, now - 1)), 409, "figures_superseded")
    for signed_at in (now - HOUR_MS, now + HOUR_MS):
        refused(put(api, SignedFigures.signed(wallet, LISTING, figures, signed_at)), 409, "figures_untimely")


def test_figures__of_a_listing_that_is_not_there__are_refused(
    api: TestClient, wallet: Wallet, figures: Figures
) -> None:
    refused(put(api, SignedFigures.signed(wallet, Pubkey.new_unique(), figures)), 404, "listing_not_found")


@pytest.mark.parametrize(
    "wrong",
    [
        {"driver": "newest"},
        {"driver": "1" * 40},
        {"fp32_gflops": 0},
        {"disk_mbps": 10**9 + 1},
        {"pcie_width": -1},
        {"x": 1},
    ],
)
def test_figures__that_are_none__are_named(
    api: TestClient, wallet: Wallet, figures: Figures, wrong: dict[str, Any]
) -> None:
    signed = SignedFigures.signed(wallet, LISTING, figures)
    answer = put(api, signed, figures=asdict(figures) | wrong)
    assert answer.status_code == 422 and next(iter(wrong)) in answer.text


@pytest.mark.parametrize("filters", [{"min_driver": "new"}, {"min_tflops": -1}, {"min_network_mbps": 10**10}])
def test_listings__filter_that_is_none__is_refused(api: TestClient, filters: dict[str, Any]) -> None:
    assert api.get(PATH, params=filters).status_code == 422


def test_driver_rank__versions__are_in_their_order() -> None:
    versions = ["390", "470.256.02", "535.9", "535.86.05", "535.86.10", "570.86.15", "1000"]
    assert sorted(versions, key=driver_rank) == versions
    with pytest.raises(ValueError, match="not a driver version"):
        driver_rank("570.")
