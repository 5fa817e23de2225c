"""Pace and cost of a host's transactions. Lamports are fees of signatures, without priority fees."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from anchor_client.amounts import LAMPORTS_PER_SOL
from anchor_client.generated.constants import SECONDS_PER_HOUR, USD
from anchor_client.market.host.plan import messages_for
from anchor_client.market.reads import MarketReader
from anchor_client.solana.node import LAMPORTS_PER_SIGNATURE

DAY: Final = 86_400
SILENT_SHARE: Final = 0.75
"""Share of the allowed silence between two heartbeats, which leaves time for a retry."""
SETTLED_PER_FEE: Final = 5_000
"""Value of a settlement in multiples of its fee, which is then 0.02 % of it."""


@dataclass(frozen=True, slots=True)
class HostPace:
    """Intervals of a host's heartbeats and settlements, in seconds; None derives them from limit and value. `sol_usd`
    is the value of a SOL, in micro-USD, while the market has no price.
    """

    heartbeat: float | None = None
    settle: int | None = None
    """Unsettled paid time, by the cluster's clock, at which a running rental is settled again."""
    sol_usd: int = 200 * USD
    signature_fee: int = LAMPORTS_PER_SIGNATURE
    """Lamports for a signature."""

    async def at_market_price(self, reads: MarketReader) -> HostPace:
        """The same with the cluster's price of a signature, and the market's price of SOL, if it has one. Raises
        network errors.
        """
        sol_usd = await reads.sol_usd()
        fee = await reads.program.client.signature_fee()
        return replace(self, sol_usd=self.sol_usd if sol_usd is None else sol_usd, signature_fee=fee)

    def interval(self, offline_after: int) -> float:
        """Seconds between heartbeats for an allowed silence of `offline_after`."""
        return self.heartbeat or offline_after * SILENT_SHARE

    def settle_after(self, rate_usd: int) -> int:
        """Seconds after which a rental of `rate_usd` micro-USD an hour is settled again."""
        if self.settle is not None:
            return self.settle
        # Where signatures cost less, or nothing, it settles no more often.
        fee_usd = max(self.signature_fee, LAMPORTS_PER_SIGNATURE) * self.sol_usd
        return -(-fee_usd * SETTLED_PER_FEE * SECONDS_PER_HOUR // (max(rate_usd, 1) * LAMPORTS_PER_SOL))

    def heartbeats_a_day(self, machines: int, offline_after: int) -> int:
        """Transactions a day that keep `machines` online, rented or idle."""
        return -int(-DAY // self.interval(offline_after)) * messages_for(machines)

    def usd_ceil(self, lamports: int) -> int:
        """Value of lamports in micro-USD, rounded up."""
        return -(-lamports * self.sol_usd // LAMPORTS_PER_SOL)

    def settlements_a_day(self, rate_usd: int) -> float:
        """Transactions per day that settle one machine, always rented in a single rental."""
        return DAY / self.settle_after(rate_usd)


DEFAULT_PACE: Final = HostPace()
