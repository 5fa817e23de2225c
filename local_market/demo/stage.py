"""Common setting of the demo's scenarios."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path

from solders.pubkey import Pubkey
from solders.system_program import TransferParams, transfer

from anchor_client.amounts import Denomination, duration
from anchor_client.market import Job, JobState, JobStatus, Market
from anchor_client.solana.tokens import associated_token, balance_in
from anchor_client.solana.wallet import Wallet
from local_market.demo.time import TimeMachine
from local_market.demo.waiting import until
from local_market.errors import StartFailed
from local_market.issuing import funded_wallet
from local_market.keys import key_path
from local_market.running import RunningMarket

GPU = "nvidia-h100-pcie-80gb"
SCRIPT = "nvidia-smi && python -c 'print(6 * 7)'"
BUDGET_TOKENS = 1_000
PATIENCE_SECONDS = 60.0


@dataclass(slots=True)
class Part:
    """One wallet's part in a scenario: its ended rentals by what became of them, and what it began with, base units.

    Deposits and withdrawals other than rentals are added to `started_with`; `charged` is what meters took.
    """

    market: Market
    started_with: int
    jobs: dict[str, Job] = field(default_factory=dict)
    charged: int = 0

    @property
    def renter(self) -> Pubkey:
        """The wallet's address."""
        return self.market.address


class Stage:
    """A running local market with wallets of the scenario's own. `tell` prints a line of progress."""

    def __init__(
        self, market: Market, running: RunningMarket, mint: Pubkey, token: Denomination, tell: Callable[[str], None]
    ) -> None:
        self.mint = mint
        self.time = TimeMachine(market, running.rpc_url, self.mint)
        self.tell = tell
        self.measured: dict[str, str | int | float] = {}
        """Measurements of a scenario, by name; part of the JSON output."""
        self._market = market
        self._keys = Path(running.data) / "keys"
        self._token = token

    async def renter(self, name: str, tokens: int = BUDGET_TOKENS) -> Part:
        """A new wallet with market tokens."""
        amount = self.base_units(tokens)
        wallet = await funded_wallet(self._market, self._keys, self.mint, amount)
        self.tell(f"{name}, a new wallet {wallet.pubkey}, holds {self.say(amount)}.")
        return Part(self._market.signing_as(wallet), amount)

    def host(self, region: str) -> Market:
        """The market for the simulated host of a region, by its slug."""
        return self._market.signing_as(self._wallet(region))

    @asynccontextmanager
    async def penniless(self, region: str, payer: Part) -> AsyncIterator[None]:
        """The simulated host of a region cannot pay for heartbeats meanwhile: `payer` holds its lamports."""
        host = self._wallet(region)
        session = payer.market.session
        account = await self._market.reads.program.account(host.pubkey)
        lamports = 0 if account is None else account.lamports
        away = TransferParams(from_pubkey=host.pubkey, to_pubkey=payer.renter, lamports=lamports)
        back = TransferParams(from_pubkey=payer.renter, to_pubkey=host.pubkey, lamports=lamports)
        await session.send([transfer(away)], signers=[host])
        try:
            yield
        finally:
            await session.send([transfer(back)])

    def _wallet(self, region: str) -> Wallet:
        return Wallet.from_file(key_path(self._keys, f"host-{region}"))

    async def gone(self, account: Pubkey, what: str) -> None:
        """Waits until an account is closed. StartFailed."""

        async def closed() -> bool:
            return await self._market.reads.program.account(account) is None

        late = StartFailed(f"The {what} {account} is not closed after {PATIENCE_SECONDS:.0f} s")
        await until(self._market, account, closed, PATIENCE_SECONDS, late)

    async def balance(self, part: Part) -> int:
        """Base units that a wallet holds now."""
        purse = associated_token(part.renter, self.mint)
        return balance_in(await self._market.reads.program.account(purse))

    async def pass_seconds(self, seconds: int, listing: Pubkey) -> None:
        """Lets time pass while the machine's host keeps sending heartbeats."""
        self.tell(f"{duration(seconds)} pass …")
        await self.time.pass_seconds(seconds, listing)

    async def reached(self, job: Pubkey, status: JobState) -> None:
        """Waits until a rental is in a state. StartFailed when it ends before, or takes too long."""
        await self.seen(job, lambda entered: entered.status is status, status.value)

    async def seen(self, job: Pubkey, wanted: Callable[[JobStatus], bool], what: str) -> JobStatus:
        """Waits for a status of a rental. StartFailed when it ends before, or takes too long."""
        try:
            async with asyncio.timeout(PATIENCE_SECONDS), aclosing(self._market.jobs.watch(job)) as statuses:
                async for entered in statuses:
                    if wanted(entered):
                        return entered
        except TimeoutError:
            raise StartFailed(f"Job {job} is not {what} after {PATIENCE_SECONDS:.0f} s") from None
        raise StartFailed(f"Job {job} has ended without being {what}")

    async def ended(self, job: Pubkey, status: JobState) -> Job:
        """Waits until a rental has ended; how it ended. StartFailed."""
        await self.reached(job, status)
        return await self._market.jobs.with_history(job)

    def tell_end(self, job: Job, how: str) -> None:
        """Says where a rental's money went."""
        self.tell(f"  {how} after {duration(job.used or 0)}: cost {self.say(job.cost)}, back {self.say(job.refunded)}")
        self.tell(f"  host {self.say(job.host_paid)}, fees {self.say(job.fees)}, burned {self.say(job.burned)}")

    def base_units(self, tokens: int) -> int:
        """Whole market tokens in base units."""
        scale: int = 10**self._token.decimals
        return tokens * scale

    def say(self, amount: int) -> str:
        """An amount of the market token for people."""
        return self._token.say(amount)
