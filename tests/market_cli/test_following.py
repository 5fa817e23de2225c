"""A price that follows the market's."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

import pytest
from solders.pubkey import Pubkey

from market_cli.commands.host.following import PriceBounds, follow, followed, market_price
from market_cli.errors import BadOption
from market_cli.units import parse_moment

HOST = Pubkey.new_unique()


def offer(usd: int, gpus: int = 1, **changes: Any) -> Any:
    known = {"host": Pubkey.new_unique(), "visible": 1, "on_demand_usd": usd, "gpu_count": gpus}
    of_listing = {name: value for name, value in changes.items() if name in known}
    rest = {"online": True, "approved": True} | {k: v for k, v in changes.items() if k not in known}
    return SimpleNamespace(listing=SimpleNamespace(**known | of_listing), **rest)


@pytest.mark.parametrize(
    ("offers", "price"),
    [
        ([], None),
        ([offer(5)], 5),
        ([offer(5), offer(9)], 5),
        ([offer(5), offer(9), offer(7)], 7),
        ([offer(5), offer(80, 8)], 10),
        ([offer(5), offer(83, 8)], 10),
        ([offer(1, host=HOST), offer(2, visible=0), offer(3, online=False), offer(4, approved=False), offer(5)], 5),
    ],
)
def test_market_price__of_machines_of_others_that_are_online__is_their_median(
    offers: list[Any], price: int | None
) -> None:
    assert market_price(offers, HOST) == price


@pytest.mark.parametrize(
    ("old", "market", "new"),
    [
        (1_000, 1_050, 1_050),
        (1_000, 2_000, 1_101),
        (1_000, 100, 899),
        (1_000, 1_009, 1_000),
        (1_000, 991, 1_000),
        (1_000, 990, 990),
        (1_490, 9_000, 1_490),
        (510, 1, 500),
        (100, 1_000, 551),
        (9_000, 1_000, 1_349),
        (9_000, 1_500, 1_500),
    ],
)
def test_followed__toward_the_market__stays_within_bounds_and_moves_by_a_tenth(old: int, market: int, new: int) -> None:
    assert followed(old, market, PriceBounds(500, 1_500)) == new


async def test_follow__market_price_rises__price_and_least_bid_move(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[tuple[int, int]] = []

    class Stop(Exception):
        pass

    async def stop(seconds: float) -> None:
        raise Stop

    class Market:
        def __init__(self) -> None:
            self.reads = self.host = self

        async def listing(self, address: Pubkey) -> Any:
            return SimpleNamespace(host=HOST, on_demand_usd=1_000, spot_min_usd=600, gpu_count=2, gpu_model=1)

        async def listings(self, gpu: str) -> list[Any]:
            return [offer(525)]

        async def update_price(self, address: Pubkey, usd: int, spot: int) -> None:
            told.append((usd, spot))

    monkeypatch.setattr("market_cli.commands.host.following.asyncio.sleep", stop)
    with pytest.raises(Stop):
        await follow(cast(Any, Market()), Pubkey.new_unique(), PriceBounds(1, 2_000), 1)
    assert told == [(1_050, 630)]


def test_parse_moment__utc_unless_it_says_otherwise() -> None:
    assert parse_moment("1970-01-02T00:00") == parse_moment("1970-01-02") == 86_400
    assert parse_moment("1970-01-02T02:00+02:00") == 86_400
    with pytest.raises(BadOption):
        parse_moment("tomorrow")
