"""An operator's wallet that runs out of SOL: warnings from a week before, and fewer attempts without any."""

from __future__ import annotations

import asyncio
from types import SimpleNamespace
from typing import Any, cast
from unittest.mock import AsyncMock

import pytest
from solders.pubkey import Pubkey
from structlog.testing import capture_logs

from anchor_client.errors import InsufficientLamports
from anchor_client.generated.constants import USD
from anchor_client.solana.node import LAMPORTS_PER_SIGNATURE
from host_agent import agent as agents
from host_agent import funds
from host_agent.agent import HostAgent
from host_agent.funds import WARNED_DAYS, WARNING_SECONDS, Funds, lamports_a_day
from host_agent.metrics import HostMetrics
from host_agent.pace import DEFAULT_PACE
from tests.host_agent.metrics import metric_of

WALLET = Pubkey.new_unique()
HALF_HOUR = 1_800
LISTING: Any = SimpleNamespace(on_demand_usd=3 * USD)
NEEDED = lamports_a_day([LISTING], DEFAULT_PACE, HALF_HOUR)


class Wallet:
    """A market's client whose wallet has some lamports."""

    def __init__(self, lamports: int) -> None:
        self.address = WALLET
        self.lamports = lamports
        self.program_id = Pubkey.new_unique()
        self.reads = self
        self.program = self
        self.host = self

    async def balance(self, wallet: Pubkey) -> int:
        assert wallet == WALLET
        return self.lamports

    async def market(self) -> Any:
        return SimpleNamespace(offline_after=HALF_HOUR)

    async def listings_of(self, host: Pubkey) -> dict[Pubkey, Any]:
        return {}

    async def heartbeat(self, listings: Any, *, owner: Pubkey) -> None:
        raise InsufficientLamports("The fee payer has no SOL on this cluster")


def funds_of(lamports: int) -> tuple[Funds, Wallet]:
    wallet = Wallet(lamports)
    return Funds(cast(Any, wallet)), wallet


def test_lamports_a_day__heartbeats_and_settlements__are_all_paid_for() -> None:
    heartbeats = DEFAULT_PACE.heartbeats_a_day(1, HALF_HOUR)
    assert lamports_a_day([], DEFAULT_PACE, HALF_HOUR) == heartbeats * LAMPORTS_PER_SIGNATURE
    per_day = -(-86_400 // DEFAULT_PACE.settle_after(LISTING.on_demand_usd))
    assert (heartbeats + per_day) * LAMPORTS_PER_SIGNATURE == NEEDED
    assert lamports_a_day([LISTING] * 2, DEFAULT_PACE, HALF_HOUR) == NEEDED + per_day * LAMPORTS_PER_SIGNATURE


@pytest.mark.parametrize(
    ("lamports", "days"),
    [(NEEDED * WARNED_DAYS, None), (NEEDED * WARNED_DAYS - 1, WARNED_DAYS - 1), (NEEDED * 2, 2), (0, 0)],
)
async def test_look__less_than_a_weeks_fees__says_how_many_days_are_left(lamports: int, days: int | None) -> None:
    kept, _ = funds_of(lamports)
    with capture_logs() as logs:
        await kept.look([LISTING], DEFAULT_PACE, HALF_HOUR)
        await kept.look([LISTING], DEFAULT_PACE, HALF_HOUR)
    assert [each["days"] for each in logs] == ([] if days is None else [days])
    assert all(each["wallet"] == str(WALLET) and str(WALLET) in each["remedy"] for each in logs)


async def test_look__each__tells_for_how_many_days_there_is_sol() -> None:
    metrics = HostMetrics()
    await Funds(cast(Any, Wallet(NEEDED * 5 // 2)), metrics).look([LISTING], DEFAULT_PACE, HALF_HOUR)
    assert metric_of(metrics, "sol_days_left") == pytest.approx(2.5, abs=0.01)


async def test_look__still_short_a_day_later__warns_again(monkeypatch: pytest.MonkeyPatch) -> None:
    kept, wallet = funds_of(NEEDED)
    now = [1_000.0]
    monkeypatch.setattr(funds.time, "monotonic", lambda: now[0])
    with capture_logs() as logs:
        for after in (0, WARNING_SECONDS - 1, 1, 0):
            now[0] += after
            await kept.look([LISTING], DEFAULT_PACE, HALF_HOUR)
    assert len(logs) == 2 and wallet.lamports == NEEDED


async def test_agent__wallet_without_sol__names_it_with_a_remedy_and_asks_less_and_less_often(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pauses: list[float] = []

    async def wait(event: asyncio.Event, seconds: float) -> None:
        pauses.append(seconds)
        if len(pauses) == 9:
            raise asyncio.CancelledError

    monkeypatch.setattr(agents, "wait_or_timeout", wait)
    metrics = HostMetrics()
    agent = HostAgent(
        cast(Any, Wallet(0)), "ws://127.0.0.1", lambda address, listing: None, cast(Any, None), metrics=metrics
    )
    with capture_logs() as logs, pytest.raises(asyncio.CancelledError):
        await agent._send_heartbeats(asyncio.Event())
    assert pauses == [5, 10, 20, 40, 80, 160, 300, 300, 300]
    assert metric_of(metrics, "heartbeats_missed_total") == len(pauses) and metric_of(metrics, "sol_days_left") == 0
    assert {each["event"] for each in logs} == {"sol_missing"}
    assert all(each["wallet"] == str(WALLET) and f"Send SOL to {WALLET}" in each["remedy"] for each in logs)


async def test_heartbeat__of_no_machine__does_not_count_as_one(monkeypatch: pytest.MonkeyPatch) -> None:
    metrics, told_at = HostMetrics(), list[float | None]()
    healthy: list[list[Pubkey]] = [[], [Pubkey.new_unique()]]

    async def wait(event: asyncio.Event, seconds: float) -> None:
        told_at.append(metric_of(metrics, "heartbeat_timestamp_seconds"))
        if not healthy:
            raise asyncio.CancelledError

    async def heartbeat(listings: Any, *, owner: Pubkey) -> None:
        assert listings is not None

    wallet = Wallet(NEEDED * WARNED_DAYS)
    monkeypatch.setattr(wallet, "heartbeat", heartbeat)
    monkeypatch.setattr(agents, "wait_or_timeout", wait)
    agent = HostAgent(cast(Any, wallet), "ws://127.0.0.1", lambda *_: None, cast(Any, None), metrics=metrics)
    monkeypatch.setattr(agent, "_healthy", lambda listings: healthy.pop(0))
    monkeypatch.setattr(agent, "_price_transactions", AsyncMock())
    metrics.heartbeat_at.set(0)
    with pytest.raises(asyncio.CancelledError):
        await agent._send_heartbeats(asyncio.Event())
    assert told_at[0] == 0 and told_at[1]
