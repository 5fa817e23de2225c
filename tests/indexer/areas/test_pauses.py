"""Pauses: in the tables as on the chain, and in the API."""

from __future__ import annotations

from typing import Any

from fastapi.testclient import TestClient
from sqlalchemy import Engine

from anchor_client.generated import instructions as ix
from anchor_client.generated.constants import NONCES_PER_SLOT
from anchor_client.generated.types import PauseArea
from indexer.api.main import create_app
from indexer.index.ingest import ingest
from indexer.models import Market as MarketRow
from indexer.models import Renter
from indexer.settings import IndexerSettings
from indexer.status import Status
from tests.indexer.tables import only
from tests.markets.recorded import Market
from tests.program.harness.actors import GUARDIAN, RENTER
from tests.program.harness.changes import set_paused


def paused_by_both(market: Market) -> None:
    """The authority pauses orders, the guardian hosts and prices, of which the authority resumes one."""
    market.act(
        set_paused(PauseArea.ORDERS),
        set_paused(PauseArea.HOSTS, caller=GUARDIAN),
        set_paused(PauseArea.PRICES, caller=GUARDIAN),
    )
    market.wait(60)
    market.act(set_paused(PauseArea.PRICES, paused=False))


def test_ingest__pauses_of_authority_and_guardian__equal_the_chain(market: Market, engine: Engine) -> None:
    paused_by_both(market)
    ingest(market.transactions(), engine)
    row, account = only(engine, MarketRow), market.market()
    assert (row.paused, row.testing, row.seq) == (account.paused, bool(account.testing), account.seq)
    untils = (row.orders_paused_until, row.hosts_paused_until, row.prices_paused_until)
    assert untils == account.guardian_paused_until


def test_market__paused__tells_which_areas_and_until_when(market: Market, engine: Engine) -> None:
    paused_by_both(market)
    account, status = market.market(), Status()
    status.saw_head(market.node.clock.slot, market.now, account)
    with TestClient(create_app(IndexerSettings(), engine=engine, status=status)) as api:
        answer: Any = api.get("/api/market").json()
    until = account.guardian_paused_until[PauseArea.HOSTS]
    assert answer["paused"] == [{"area": "orders", "until": None}, {"area": "hosts", "until": until}]


def test_ingest__profile_closed_and_made_again__begins_anew(market: Market, engine: Engine) -> None:
    market.act(market.register_renter(RENTER, first_nonce=(market.cluster.slot + 1) * NONCES_PER_SLOT))
    for _ in range(2):
        market.node.warp(0)  # a slot
    market.act(ix.close_renter(wallet=RENTER))
    market.act(market.register_renter(RENTER))
    ingest(market.transactions(), engine)
    row, profile = only(engine, Renter), market.profile(RENTER)
    assert (row.next_nonce, row.spent_usd, row.closed_at) == (profile.next_nonce, profile.spent_usd, None)
