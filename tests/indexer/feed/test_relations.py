"""Owners of what the feed and webhooks tell of: looked up once, as long as there is room."""

from __future__ import annotations

import pytest
from sqlalchemy import Engine

from indexer.api.feed import relations
from indexer.api.feed.relations import Relations
from indexer.api.feed.topics import JOB, LISTING, SPOT, WALLET
from indexer.index.ingest import ingest
from tests.markets.recorded import Market
from tests.program.harness.flows import opened


def test_relations__more_than_are_kept__the_oldest_make_room_and_are_found_again(
    market: Market, sqlite_engine: Engine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(relations, "KEPT", 1)
    renter, [listing] = market.renter(), market.listings
    job = opened(market, renter, listing=listing)
    ingest(market.transactions(), sqlite_engine)
    known = Relations()
    with sqlite_engine.connect() as connection:
        for _ in range(2):
            assert (WALLET, str(renter)) in known.of(connection, [(JOB, str(job))])
            assert (SPOT, str(listing)) in known.of(connection, [(LISTING, str(listing))])
    assert len(known._known) == 1
