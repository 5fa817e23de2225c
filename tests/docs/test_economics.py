"""The tables of docs/economics.md, made from the rules they follow; and what they promise."""

from __future__ import annotations

import pytest

from anchor_client.amounts import LAMPORTS_PER_SOL
from anchor_client.generated.constants import BPS, USD
from anchor_client.generated.types import RentalKind
from anchor_client.rules.catalog import GPU_MODELS
from anchor_client.rules.host import Reputation
from anchor_client.rules.subsidy import Cover
from anchor_client.solana.node import LAMPORTS_PER_SIGNATURE
from host_agent.pace import DAY, HostPace
from indexer.store.queries import DEFAULT_PRIOR_USD
from local_market.machines import gpu_terms
from local_market.terms import MARKET_TOKEN
from tests.docs.collusion import break_even_bps, gain_bps
from tests.docs.pages import ROOT
from tests.markets.local_prices import MACHINES, TOKENS, quoted

RATE_USD = 190_000
"""An RTX 4090, micro-USD an hour."""
OFFLINE_AFTER = 1_800
TIP = 20_000
ON_DEMAND_FEE_BPS, SPOT_FEE_BPS = 1_000, 250
PAGE = (ROOT / "docs" / "economics.md").read_text()
PACE = HostPace()
HOUR = 3_600
SPOT_EXAMPLE = "nvidia-h100-sxm5-80gb"
FEE_BPS = 1_000
"""On demand, as a market opens."""
MOST_DISCOUNT_BPS = 5_000
"""Of both sides' fees, by the stake of each."""
SIDES = tuple((fee, discount) for fee in (FEE_BPS, SPOT_FEE_BPS) for discount in (0, MOST_DISCOUNT_BPS))
"""Fee of an order on demand and of one on spot, each without a stake and with the largest on both sides."""
SUBSIDIES_BPS = (8_500, 5_000, 3_000, 2_900, 2_450, 2_225)
REPORTS = (0, 250, 1_000)
"""Weights of reports, in dollars."""
HOSTS_PAID = (1_000, 9_000)
"""Amounts that renters have paid hosts, in dollars."""
TARGETS = {1: 0.02, 8: 0.003, 100: 0.0005}
"""The most of what that number of machines earns that a host may spend on heartbeats and settlements."""


def costs(machines: int, *, rented: bool = True) -> tuple[int, int, int, float]:
    """Heartbeats, settlements and lamports a day, and their share of what the machines earn when rented."""
    heartbeats = PACE.heartbeats_a_day(machines, OFFLINE_AFTER)
    settlements = round(PACE.settlements_a_day(RATE_USD) * machines) if rented else 0
    lamports = (heartbeats + settlements) * LAMPORTS_PER_SIGNATURE
    earned = machines * RATE_USD * DAY / 3_600
    return heartbeats, settlements, lamports, lamports * PACE.sol_usd / LAMPORTS_PER_SOL / earned


def host_rows() -> list[str]:
    """The table of what a host pays a day."""
    rows = []
    for machines in TARGETS:
        heartbeats, settlements, lamports, share = costs(machines)
        idle = costs(machines, rented=False)[2]
        rows.append(f"| {machines} | {heartbeats} | {settlements} | {lamports:,} | {share:.3%} | {idle:,} |")
    return rows


def rental_rows() -> list[str]:
    """The table of what a rental costs each side in lamports of fees; tips apart."""
    fee = LAMPORTS_PER_SIGNATURE
    return [
        f"| renter: order, and stop it | {2 * fee:,} | {TIP:,} of tip, back if they stop it themselves |",
        f"| host: accept, start, first settlement | {3 * fee:,} | |",
        f"| keeper: finalize | {fee:,} | {TIP - fee:,} earned |",
        f"| keeper: mark a silent host and report it | {2 * fee:,} | {TIP - 2 * fee:,} earned |",
        f"| keeper: mark an idle machine and prove its silence | {2 * fee:,} | nothing |",
    ]


def reputation_rows() -> list[str]:
    """The table of what a host and its second wallet lose to fees for a score, all shares being whole."""
    rows = []
    for score, paid in ((6_000, 250), (7_500, 1_000), (9_000, 4_000), (9_500, 9_000)):
        weight = paid * USD
        counted = {"paid_usd": weight, "rating_weight": weight, "rating_sum": 5 * weight}
        bought = Reputation(DEFAULT_PRIOR_USD, **counted, tracked_seconds=1, up_seconds=1, completed=1)
        assert bought.score_bps_floor == score
        lost = (f"${paid * bps / BPS:,.0f}" for bps in (ON_DEMAND_FEE_BPS, SPOT_FEE_BPS))
        rows.append(f"| {score // 100} % | ${paid:,} | {' | '.join(lost)} |")
    return rows


def report_rows() -> list[str]:
    """The table of what a false report costs, and what it does to a host that did everything well."""
    hosts = " | ".join(f"host was paid ${paid:,}" for paid in HOSTS_PAID)
    shares = (ON_DEMAND_FEE_BPS / 100, SPOT_FEE_BPS / 100)
    rows = ["| weight | lost, on demand ({:g} %) | lost, spot ({:g} %) | {} |".format(*shares, hosts)]
    for weight in REPORTS:
        lost = (f"${weight * bps / BPS:,.0f}" for bps in (ON_DEMAND_FEE_BPS, SPOT_FEE_BPS))
        scores = (
            Reputation(
                DEFAULT_PRIOR_USD,
                paid_usd=paid * USD,
                tracked_seconds=1,
                up_seconds=1,
                completed=1,
                not_as_listed_usd=weight * USD,
            ).score_bps_floor
            for paid in HOSTS_PAID
        )
        rows.append(f"| ${weight:,} | {' | '.join((*lost, *(f'{score / 100:.2f} %' for score in scores)))} |")
    return rows


def collusion_rows() -> list[str]:
    """The table of what a pair gains of a dollar of list price that is subsidised, on demand and on spot."""
    rows = []
    for share in SUBSIDIES_BPS:
        gains = [
            gain_bps(share, fee_bps=fee, burn_bps=MARKET_TOKEN.burn_bps, discount_bps=discount)
            for fee, discount in SIDES
        ]
        rows.append(f"| {share / 100:g} % | {' | '.join(map(_dollars, gains))} |")
    return rows


def spot_rows() -> list[str]:
    """The table of what a machine costs an hour on demand and by the least bid, in each token."""
    model = next(model for model in GPU_MODELS if model.slug == SPOT_EXAMPLE)
    reference, least, most = next(each for each in MACHINES if each[0] == gpu_terms(model).reference_usd)
    rows = []
    for token in TOKENS:
        on_demand, spot = (
            quoted(token, kind, usd, 6 * HOUR, Cover(reference)).rates.rate / 10**token.decimals
            for kind, usd in ((RentalKind.ON_DEMAND, most), (RentalKind.SPOT, least))
        )
        rows.append(f"| {token.symbol} | {on_demand:.3g} | {spot:.3g} | {spot / on_demand:.0%} |")
    return rows


def _dollars(bps: int) -> str:
    return f"{'-' if bps < 0 else ''}${abs(bps) / 10_000:.3f}"


@pytest.mark.parametrize(
    "row", [*host_rows(), *rental_rows(), *reputation_rows(), *report_rows(), *collusion_rows(), *spot_rows()]
)
def test_economics__each_row__is_what_the_rules_give(row: str) -> None:
    assert row in PAGE.splitlines()


@pytest.mark.parametrize("machines", TARGETS)
def test_economics__host__spends_no_more_than_promised(machines: int) -> None:
    assert costs(machines)[3] <= TARGETS[machines]


def test_economics__rates__are_those_the_page_names() -> None:
    assert f"${RATE_USD / USD:.2f}" in PAGE and f"${PACE.sol_usd // USD}" in PAGE and f"{OFFLINE_AFTER:,} s" in PAGE


def test_economics__share_that_breaks_even__is_the_one_the_page_names() -> None:
    named = PAGE.partition("of the price: at most")[2].partition("Above that share")[0]
    for fee, discount in SIDES:
        terms = {"fee_bps": fee, "burn_bps": MARKET_TOKEN.burn_bps, "discount_bps": discount}
        share = break_even_bps(**terms)
        assert f"{share / 100:g} %" in named
        assert gain_bps(share, **terms) <= 0 < gain_bps(share + 10, **terms)
