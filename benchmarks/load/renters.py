"""Renters of a day: they come at random, pay in any token, and leave early or let the time run out."""

from __future__ import annotations

import asyncio
import heapq
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Final

from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.system_program import TransferParams, transfer

from anchor_client.amounts import LAMPORTS_PER_SOL
from anchor_client.errors import GpuMarketError
from anchor_client.market import Market
from anchor_client.market.rental.wanted import RentalWanted
from anchor_client.orders import DeliverOrder, Workload
from anchor_client.solana.issuing import issue
from local_market.addresses import LocalMints
from local_market.keys import MarketKeyring

HOUR: Final = 3_600
WALLETS: Final = 20
LAMPORTS: Final = 200 * LAMPORTS_PER_SOL
WHOLE_TOKENS: Final = 100_000
HOURS: Final = (1, 2, 3, 6)
"""Durations of rentals, each as frequent as the others."""
PAYS: Final = ("GPUM", "GPUM", "USDC", "SOL")
STOPPED: Final = 0.5
"""Share of rentals that their renters stop before the time is over."""


@dataclass(slots=True)
class Renters:
    """Wallets that rent; `rate` rentals an hour come. `refused` counts refusals by name."""

    markets: Sequence[Market]
    rate: float
    random: Random = field(default_factory=lambda: Random(1))
    opened: int = 0
    stopped: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    _leaving: list[tuple[int, int, Pubkey]] = field(default_factory=list)
    """When each rental is stopped, the renter's number, and the rental."""

    async def act(self, now: int, seconds: int) -> None:
        """Opens and stops the rentals of the last `seconds` of the market's time, up to `now`."""
        due = []
        while self._leaving and self._leaving[0][0] <= now:
            due.append(heapq.heappop(self._leaving))
        expected = self.rate * seconds / HOUR
        coming = int(expected) + (self.random.random() < expected % 1)
        await asyncio.gather(
            *(self._stop(wallet, job) for _, wallet, job in due), *(self._rent(now) for _ in range(coming))
        )

    async def _rent(self, now: int) -> None:
        wallet = self.random.randrange(len(self.markets))
        hours = self.random.choice(HOURS)
        leaves = self.random.random()
        wanted = RentalWanted(duration=hours * HOUR, pay=self.random.choice(PAYS))
        try:
            job = await self.markets[wallet].rental.open(wanted, Workload())
        except GpuMarketError as error:
            self.refused[type(error).__name__] += 1
            return
        self.opened += 1
        if leaves < STOPPED:
            heapq.heappush(self._leaving, (now + int(hours * HOUR * leaves / STOPPED), wallet, job.id))

    async def _stop(self, wallet: int, job: Pubkey) -> None:
        try:
            await self.markets[wallet].rental.stop(job)
        except GpuMarketError as error:
            self.refused[f"stop: {type(error).__name__}"] += 1
        else:
            self.stopped += 1


async def fund(authority: Market, keys: MarketKeyring, tokens: LocalMints, wallets: Sequence[Keypair]) -> None:
    """Gives wallets SOL and tokens of a seeded market."""
    own = keys.authority.pubkey()
    for wallet in wallets:
        give = transfer(TransferParams(from_pubkey=own, to_pubkey=wallet.pubkey(), lamports=LAMPORTS))
        issued = [
            issue(own, wallet.pubkey(), token.mint, token.base_units(WHOLE_TOKENS))
            for token in (tokens.market_token, tokens.usdc)
        ]
        await authority.send(give, *(each for instructions in issued for each in instructions))


def renting(rpc_url: str, ws_url: str, wallet: Keypair, tokens: LocalMints, deliver: DeliverOrder) -> Market:
    """A renter's client, which hands its orders to the market's API."""
    return Market.connect(rpc_url, wallet, ws_url=ws_url, tokens=tokens.by_symbol(), deliver_order=deliver)
