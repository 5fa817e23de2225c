"""Amount of an index that a keeper takes in."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from solders.pubkey import Pubkey

from anchor_client.solana.http.answer import HttpAnswer
from keeper import index_api
from keeper.errors import IndexWrong
from keeper.index_api import IndexApi
from tests.keeper.fake_index import page

MOST = 3
HEALTHY = {"status": "ok", "problems": [], "complete_slot": 7, "lag_seconds": 0.0}


class PagedIndex:
    """An index that names another rental on each of its pages."""

    def __init__(self, pages: int) -> None:
        self.pages = pages
        self.asked = 0

    async def ask(self, method: str, path: str) -> HttpAnswer:
        """As MarketApi does."""
        answer: dict[str, Any] = HEALTHY
        if path != "/health":
            self.asked += 1
            answer = page([Pubkey.new_unique()], "1.next" if self.asked < self.pages else None)
        return HttpAnswer(200, msgspec.json.encode(answer).decode())


async def test_named__as_many_as_an_index_may_name__are_all_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_api, "MOST_NAMED", MOST)
    index = PagedIndex(MOST)
    named = await IndexApi(index, 1).named(0)  # type: ignore[arg-type]
    assert len(named.rentals) == MOST == index.asked


async def test_named__more_pages_than_a_market_can_fill__are_not_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_api, "MOST_NAMED", MOST)
    index = PagedIndex(3 * MOST)
    with pytest.raises(IndexWrong):
        await IndexApi(index, 1).named(0)  # type: ignore[arg-type]
    assert index.asked == MOST + 1
