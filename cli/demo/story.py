"""The two rentals of the demo."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from solders.pubkey import Pubkey

from anchor_client.generated.constants import SECONDS_PER_HOUR
from anchor_client.generated.events import RentalRated
from anchor_client.market import Job, JobState, Market
from anchor_client.tokens import MARKET_TOKEN, associated_token, balance_in
from cli.currencies import Currencies
from cli.demo.renter import funded_wallet
from cli.demo.time import TimeMachine
from cli.errors import StartFailed
from cli.running import RunningMarket
from cli.units import duration, usd

GPU = "nvidia-h100-pcie-80gb"
SCRIPT = "nvidia-smi && python -c 'print(6 * 7)'"
STOP_AFTER = 25 * 60
BUDGET_TOKENS = 1_000
PATIENCE_SECONDS = 60.0
RATING = 5


class Story:
    """Rents twice with a wallet of its own. `tell` gets a line for people at every turn."""

    def __init__(
        self, market: Market, running: RunningMarket, currencies: Currencies, tell: Callable[[str], None]
    ) -> None:
        self._base = market
        self._running = running
        self._currencies = currencies
        self._tell = tell
        self.mint = currencies.symbols.mint(MARKET_TOKEN)
        self._time = TimeMachine(market, running.rpc_url, self.mint)
        self._market = market
        self.started_with = 0

    async def begin(self) -> None:
        """Makes and funds the wallet."""
        self.started_with = BUDGET_TOKENS * 10 ** self._currencies.decimals(self.mint)
        keys = Path(self._running.data) / "keys"
        wallet = await funded_wallet(self._base, keys, self.mint, self.started_with)
        self._market = self._base.signing_as(wallet)
        self._tell(f"A new wallet {wallet.pubkey} holds {self._say(self.started_with)}.")

    @property
    def renter(self) -> Pubkey:
        """The wallet's address."""
        return self._market.address

    async def rent_and_stop(self) -> Job:
        """Rents for an hour and stops on the way."""
        job = await self._rent()
        self._tell(f"{duration(STOP_AFTER)} pass …")
        await self._time.pass_seconds(STOP_AFTER, job.listing)
        await self._rate(job.id)
        ended = await self._market.stop(job.id)
        self._tell_end(ended, "Stopped by the renter")
        return ended

    async def rent_and_expire(self) -> Job:
        """Rents for an hour and lets the time run out; a keeper ends it."""
        job = await self._rent()
        self._tell(f"{duration(job.duration)} pass …")
        await self._time.pass_seconds(job.duration + 1, job.listing)
        ended = await self._ended(job.id)
        self._tell_end(ended, f"Ended by the keeper {ended.closed_by}")
        return ended

    async def balance(self) -> int:
        """Base units that the wallet holds now."""
        purse = associated_token(self.renter, self.mint)
        return balance_in(await self._market.reads.program.account(purse))

    async def _rent(self) -> Job:
        job = await self._market.compute(gpu=GPU, duration=SECONDS_PER_HOUR, script=SCRIPT)
        self._tell(f"Rents an H100 PCIe in {job.region} for an hour: [bold]{job.id}[/]")
        self._tell(f"  {self._say(job.deposit)} from the renter and {self._say(job.subsidy)} of subsidy in escrow")
        await self._reached(job.id, JobState.RUNNING)
        self._tell("  the host has accepted and started the machine")
        return job

    async def _reached(self, job: Pubkey, state: JobState) -> None:
        """Waits until the rental is in a state. StartFailed when it ends before, or takes too long."""
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                async for status in self._market.jobs.watch(job):
                    if status.state is state:
                        return
        except TimeoutError:
            raise StartFailed(f"Job {job} is not {state.value} after {PATIENCE_SECONDS:.0f} s") from None
        raise StartFailed(f"Job {job} has ended without being {state.value}")

    async def _rate(self, job: Pubkey) -> None:
        sent = await self._market.rate(job, RATING)
        rated = next(event for event in sent.events if isinstance(event, RentalRated))
        self._tell(
            f"  the renter rates it {RATING} of 5; that weighs {usd(rated.weight)}, what he has paid without subsidy"
        )

    async def _ended(self, job: Pubkey) -> Job:
        await self._reached(job, JobState.COMPLETED)
        return await self._market.jobs.with_history(job)

    def _tell_end(self, job: Job, how: str) -> None:
        self._tell(
            f"  {how} after {duration(job.used or 0)}: cost {self._say(job.cost)}, back {self._say(job.refunded)}"
        )
        self._tell(f"  host {self._say(job.host_paid)}, fees {self._say(job.fees)}, burned {self._say(job.burned)}")

    def _say(self, amount: int) -> str:
        return self._currencies.say(self.mint, amount)
