"""Spot is never dearer than on demand: each machine of a local market, in each token and time. Invariant MKT-16."""

from __future__ import annotations

from itertools import pairwise

import pytest

from anchor_client.generated.types import RentalKind
from anchor_client.rules.order import OrderStanding, Quote
from anchor_client.rules.subsidy import Cover
from tests.markets.local_prices import MACHINES, TOKENS, TokenTerms, quoted

HOUR, DAY = 3_600, 86_400
DURATIONS = (60, HOUR, 6 * HOUR, DAY, DAY + 1, 7 * DAY, 30 * DAY, 90 * DAY)
STANDINGS = (OrderStanding(), OrderStanding(renter_discount_bps=5_000, host_discount_bps=5_000))
SHARES = 8
"""Equal steps from no subsidy left to all that the order on demand draws."""


def bids(least: int, most: int) -> list[int]:
    """Bids from the least to the most that a machine takes."""
    return sorted({least, least + 1, (least + most) // 2, most - 1, most})


def amounts_left(on_demand: Quote) -> list[int]:
    """Amounts that budget and pool may still give when an order comes."""
    return [on_demand.subsidy * part // SHARES for part in range(SHARES + 1)]


@pytest.mark.parametrize("token", TOKENS, ids=lambda token: token.symbol)
@pytest.mark.parametrize("duration", DURATIONS)
def test_spot__every_machine_and_bid__costs_no_more_than_on_demand(token: TokenTerms, duration: int) -> None:
    for reference, least, most in MACHINES:
        for standing in STANDINGS:
            whole = quoted(token, RentalKind.ON_DEMAND, most, duration, Cover(reference), standing)
            for left in amounts_left(whole):
                cover = Cover(reference, left)
                on_demand = quoted(token, RentalKind.ON_DEMAND, most, duration, cover, standing)
                costs = [
                    quoted(token, RentalKind.SPOT, bid, duration, cover, standing).deposit for bid in bids(least, most)
                ]
                assert all(lower <= higher for lower, higher in pairwise([*costs, on_demand.deposit]))


@pytest.mark.parametrize("token", TOKENS, ids=lambda token: token.symbol)
@pytest.mark.parametrize("part", [0, 1, 500, 999, 1_000, 2_000])
def test_spot__any_reference_price__costs_no_more_than_on_demand(token: TokenTerms, part: int) -> None:
    """Below, at and above the bids, where each price is subsidised by another share of it."""
    for usual, least, most in MACHINES:
        cover = Cover(usual * part // 1_000)
        on_demand = quoted(token, RentalKind.ON_DEMAND, most, 6 * HOUR, cover).deposit
        costs = [quoted(token, RentalKind.SPOT, bid, 6 * HOUR, cover).deposit for bid in bids(least, most)]
        assert all(lower <= higher for lower, higher in pairwise([*costs, on_demand]))
