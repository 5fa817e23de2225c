"""Pace and cost of a host's transactions. Lamports are fees of signatures, without priority fees."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from anchor_client.amounts import LAMPORTS_PER_SOL
from anchor_client.generated.constants import SECONDS_PER_HOUR, USD
from anchor_client.market.host.plan import messages_for
from anchor_client.market.reads import MarketReader
from anchor_client.solana.transactions.message import LAMPORTS_PER_SIGNATURE

DAY: Final = 86_400
SILENT_SHARE: Final = 0.75
"""Of the time that a host may be silent, what passes between two heartbeats: there is time to try again."""
SETTLED_PER_FEE: Final = 5_000
"""Value of a settlement in multiples of its fee, which is then 0.02 % of it."""


@dataclass(frozen=True, slots=True)
class HostPace:
    """Intervals of a host's heartbeats and settlements, in seconds; None lets them follow from limit and value.

    `sol_usd` is what a SOL is worth, in micro-USD, as long as the market does not say.
    """

    heartbeat: float | None = None
    settle: int | None = None
    """Unsettled paid time, by the cluster's clock, at which a running rental is settled again."""
    sol_usd: int = 200 * USD

    async def at_market_price(self, reads: MarketReader) -> HostPace:
        """The same with a SOL at what the market says it is worth, if it does. Raises the network's errors."""
        sol_usd = await reads.sol_usd()
        return self if sol_usd is None else replace(self, sol_usd=sol_usd)

    def interval(self, offline_after: int) -> float:
        """Seconds between heartbeats where a host may be silent for `offline_after`."""
        return self.heartbeat or offline_after * SILENT_SHARE

    def settle_after(self, rate_usd: int) -> int:
        """Seconds after which a rental of `rate_usd` micro-USD an hour is settled again."""
        if self.settle is not None:
            return self.settle
        fee_usd = LAMPORTS_PER_SIGNATURE * self.sol_usd
        return -(-fee_usd * SETTLED_PER_FEE * SECONDS_PER_HOUR // (max(rate_usd, 1) * LAMPORTS_PER_SOL))

    def heartbeats_a_day(self, machines: int, offline_after: int) -> int:
        """Transactions a day that keep `machines` online, rented or idle."""
        return -int(-DAY // self.interval(offline_after)) * messages_for(machines)

    def usd_ceil(self, lamports: int) -> int:
        """Value of lamports in micro-USD, rounded up."""
        return -(-lamports * self.sol_usd // LAMPORTS_PER_SOL)

    def settlements_a_day(self, rate_usd: int) -> float:
        """Transactions a day that settle one machine which is always rented, all in one rental."""
        return DAY / self.settle_after(rate_usd)


DEFAULT_PACE: Final = HostPace()
