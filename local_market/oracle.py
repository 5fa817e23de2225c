"""Posts the prices of a local market, so that they never grow stale."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import structlog
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.errors import GpuMarketError
from anchor_client.generated.instructions import post_price
from anchor_client.generated.pdas import find_payment_mint
from anchor_client.market import Market
from anchor_client.service.pacing import RETRY_SECONDS, wait_or_timeout
from local_market.addresses import LocalMints
from local_market.clock import ClusterClock

POST_SECONDS = 60.0

log = structlog.get_logger(__name__)


class PriceOracle:
    """Posts fixed prices every minute and whenever the clock has jumped.

    `prices` are pico-USD per whole token, by mint.
    """

    def __init__(self, market: Market, oracle: Keypair, clock: ClusterClock, prices: Mapping[Pubkey, int]) -> None:
        self._market = market.signing_as(oracle)
        self._prices = dict(prices)
        self._jumped = asyncio.Event()
        clock.wake_at_jumps(self._jumped)

    async def post(self) -> None:
        """Posts every price, in one transaction. Raises what sending raises."""
        oracle = self._market.address
        await self._market.send(
            *(
                post_price(price=price, oracle=oracle, payment_mint=find_payment_mint(mint)[0])
                for mint, price in self._prices.items()
            )
        )

    async def run(self, ready: asyncio.Event) -> None:
        """Runs until cancelled; `ready` is set once the first prices are posted."""
        while True:
            pause = POST_SECONDS
            try:
                await self.post()
                ready.set()
            except GpuMarketError as error:
                log.warning("price_not_posted", error=error.message)
                pause = RETRY_SECONDS
            await wait_or_timeout(self._jumped, pause)


def posted_prices(tokens: LocalMints) -> dict[Pubkey, int]:
    """The prices that an oracle posts, by mint."""
    return {token.mint: token.terms.price for token in tokens.all() if not token.terms.pinned}
