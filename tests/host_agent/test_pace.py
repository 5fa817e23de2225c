"""Pace of a host's transactions, and their cost."""

from __future__ import annotations

import pytest

from anchor_client.generated.constants import USD
from anchor_client.market.host.plan import messages_for
from anchor_client.solana.node import LAMPORTS_PER_SIGNATURE
from host_agent.pace import DAY, HostPace

OFFLINE_AFTER = 1_800


@pytest.mark.parametrize(("allowed", "seconds"), [(1_800, 1_350), (300, 225), (5, 3.75)])
def test_interval__follows_from_the_limit_and_leaves_time_to_try_again(allowed: int, seconds: float) -> None:
    assert HostPace().interval(allowed) == seconds
    assert HostPace(heartbeat=60).interval(allowed) == 60


@pytest.mark.parametrize("rate_usd", [1, 50_000, 190_000, 2_760_000, 60 * USD])
def test_settle_after__any_rate__costs_at_most_a_thousandth_of_what_it_settles(rate_usd: int) -> None:
    pace = HostPace()
    settled_usd = rate_usd * pace.settle_after(rate_usd) / 3_600
    fee_usd = LAMPORTS_PER_SIGNATURE * pace.sol_usd / 10**9
    assert fee_usd <= settled_usd / 1_000
    assert HostPace(settle=7).settle_after(rate_usd) == 7


def test_settle_after__signatures_cost_more_or_nothing__follows_them_and_never_falls_below_the_usual() -> None:
    usual = HostPace().settle_after(USD)
    assert HostPace(signature_fee=2 * LAMPORTS_PER_SIGNATURE).settle_after(USD) == 2 * usual
    assert HostPace(signature_fee=0).settle_after(USD) == usual


@pytest.mark.parametrize(("machines", "messages"), [(1, 1), (24, 1), (25, 1), (56, 1), (57, 2), (100, 2), (113, 3)])
def test_messages__dozens_of_machines__share_one(machines: int, messages: int) -> None:
    assert messages_for(machines) == messages
    assert HostPace().heartbeats_a_day(machines, OFFLINE_AFTER) == DAY // 1_350 * messages


@pytest.mark.parametrize(
    ("lamports", "micro_usd"), [(0, 0), (1, 1), (5, 1), (6, 2), (320_000, 64_000), (10**9, 200 * USD)]
)
def test_usd_ceil__lamports__are_rounded_up(lamports: int, micro_usd: int) -> None:
    assert HostPace(sol_usd=200 * USD).usd_ceil(lamports) == micro_usd
