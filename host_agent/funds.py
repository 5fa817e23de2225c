"""SOL that an operator's wallet has left for heartbeats and settlements."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Final

import structlog

from anchor_client.amounts import sol
from anchor_client.errors import GpuMarketError, InsufficientLamports
from anchor_client.generated.accounts import Listing
from anchor_client.market import Market
from anchor_client.service.backoff import Backoff
from host_agent.metrics import HostMetrics
from host_agent.pace import DAY, HostPace

WARNED_DAYS: Final = 7
"""Days left from which the log warns."""
WARNING_SECONDS: Final = DAY
WITHOUT_SOL: Final = Backoff(first=5.0, most=300.0)
"""Wait before the next heartbeat of a wallet without SOL."""

log = structlog.get_logger(__name__)


class Funds:
    """The wallet's SOL, with warnings from a week before it runs out."""

    def __init__(self, market: Market, metrics: HostMetrics | None = None) -> None:
        self._market = market
        self._metrics = metrics or HostMetrics()
        self._warned_at: float | None = None
        self._failures = 0

    async def look(self, listings: Iterable[Listing], pace: HostPace, offline_after: int) -> None:
        """Warns once a day if the wallet has less than a week's fees. Network errors are logged."""
        self._failures = 0
        wallet = self._market.address
        try:
            lamports = await self._market.reads.program.balance(wallet)
        except GpuMarketError as error:
            log.warning("sol_not_read", error=error.message)
            return
        needed = lamports_a_day(listings, pace, offline_after)
        self._metrics.sol_days.set(lamports / needed)
        now = time.monotonic()
        if lamports >= needed * WARNED_DAYS or (
            self._warned_at is not None and now - self._warned_at < WARNING_SECONDS
        ):
            return
        self._warned_at = now
        log.warning(
            "sol_running_out",
            wallet=str(wallet),
            sol=sol(lamports),
            days=lamports // needed,
            remedy=f"Send SOL to {wallet}: it spends up to {sol(needed)} a day.",
        )

    def missing(self, error: InsufficientLamports) -> float:
        """Logs that a heartbeat could not be paid; returns the seconds until the next attempt."""
        self._failures += 1
        self._metrics.sol_days.set(0)
        pause = WITHOUT_SOL.wait(self._failures)
        wallet = self._market.address
        log.error(
            "sol_missing",
            wallet=str(wallet),
            error=error.message,
            retry_seconds=pause,
            remedy=f"Send SOL to {wallet}: without it the machine goes offline and earns nothing.",
        )
        return pause


def lamports_a_day(listings: Iterable[Listing], pace: HostPace, offline_after: int) -> int:
    """Fees of a day's heartbeats, and of settlements if every listing is rented all day."""
    rates = [listing.on_demand_usd for listing in listings]
    settlements = sum(-(-DAY // pace.settle_after(rate)) for rate in rates)
    return (pace.heartbeats_a_day(max(len(rates), 1), offline_after) + settlements) * pace.signature_fee
