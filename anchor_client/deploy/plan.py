"""Plans and applies a deployment: what a market on a cluster lacks, and what it costs."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from typing import Final

from solders.instruction import Instruction
from solders.pubkey import Pubkey
from spl.token.constants import MINT_LEN

from anchor_client.amounts import sol
from anchor_client.deploy.binary import Binary
from anchor_client.deploy.changes import Changes, MarketState
from anchor_client.deploy.document import MarketFile
from anchor_client.deploy.errors import MarketTaken, NotTheAuthority, ProgramDiffers, WalletTooPoor
from anchor_client.deploy.keys import MarketKeys
from anchor_client.deploy.market import CHANGES, PARAMETERS, STAGES, MarketWorks, Work
from anchor_client.deploy.program import ProgramKeeper
from anchor_client.deploy.steps import instructions_of, pack
from anchor_client.deploy.upload import ABOUT_PART_BYTES, Progress
from anchor_client.generated.constants import BPS
from anchor_client.market import Market
from anchor_client.solana.loader import PROGRAM_BYTES, PROGRAM_DATA_HEADER
from anchor_client.solana.transactions.message import MessageVersion, UnsignedTransaction

AT_ONCE: Final = 4
RESERVE_BPS: Final = 200
"""Of the cost, for priority fees and retries."""

Said = Callable[[str], None]


@dataclass(frozen=True, slots=True)
class DeployPlan:
    """Work to do and its cost in lamports: rent of accounts and signature fees, without priority fees."""

    program: Pubkey
    deploys: bool
    """True where the program is to be uploaded."""
    works: tuple[Work, ...]
    waiting: tuple[str, ...]
    """Steps that others have to take first."""
    accounts: int
    rent: int
    fees: int
    paid_here: int
    """Rent and fees that the payer pays; an authority that signs elsewhere pays the rest."""
    balance: int
    """The payer's."""

    @property
    def lamports(self) -> int:
        """Total cost."""
        return self.rent + self.fees

    @property
    def is_done(self) -> bool:
        """True where there is nothing to do."""
        return not self.deploys and not self.works

    @property
    def final(self) -> list[str]:
        """Effects that cannot be undone."""
        code = [f"the program's address is {self.program}, and the rent of its code stays locked until it is closed"]
        return [*(code if self.deploys else []), *(work.final for work in self.works if work.final)]

    def require_funds(self) -> None:
        """WalletTooPoor where the payer has less than what it pays of the plan."""
        needed = self.paid_here + self.paid_here * RESERVE_BPS // BPS
        if self.balance < needed:
            takes = f"The plan costs {sol(self.paid_here)}, plus a reserve of {sol(needed - self.paid_here)} for fees"
            raise WalletTooPoor(f"{takes}; its payer has {sol(self.balance)}")


@dataclass(frozen=True, slots=True)
class ToSign:
    """A transaction that waits for an authority elsewhere, and what it does."""

    texts: tuple[str, ...]
    transaction: UnsignedTransaction


@dataclass(frozen=True, slots=True)
class DeployOutcome:
    """Number of transactions sent, and those that the authority must sign before there is more to do."""

    sent: int
    to_sign: tuple[ToSign, ...] = ()


class Deployment:
    """A market file against a cluster."""

    def __init__(self, market: Market, file: MarketFile, keys: MarketKeys, binary: Binary) -> None:
        self._market = market.signing_as(keys.payer)
        self._client = market.session.client
        self._file = file
        self._keys = keys
        self._binary = binary
        self._programs = ProgramKeeper(market.session.sender, keys.payer)

    async def plan(self) -> DeployPlan:
        """Plans the missing parts. ProgramDiffers, NotTheAuthority, MarketTaken, and the network's errors."""
        program = self._keys.program.pubkey()
        authority = self._keys.authority
        code = await self._programs.find(program)
        if code is not None and not code.holds(self._binary.code):
            raise ProgramDiffers(f"The code at {program} on the cluster differs from the file's")
        works = MarketWorks(self._file, self._keys, await self._rent(MINT_LEN))
        found = await MarketState.read(self._market.reads, self._file, works)
        self._require_same(found, works)
        every = list(works.all())
        found_at = await self._market.reads.program.accounts([work.step.creates for work in every])
        changes = Changes(self._file, self._keys, works, found)
        missing = [work for work, account in zip(every, found_at, strict=True) if account is None]
        missing = sorted([*missing, *changes.all()], key=lambda work: STAGES.index(work.stage))
        if missing and found.market is not None and found.market.authority != authority:
            raise NotTheAuthority(f"The market's authority is {found.market.authority}, not {authority}")
        here = [work for work in missing if work.step.elsewhere is None]
        there = [work for work in missing if work.step.elsewhere is not None]
        sizes = _sizes(here)
        signatures = _signatures(here)
        if code is None:
            sizes += [PROGRAM_BYTES, PROGRAM_DATA_HEADER + len(self._binary.code) + self._file.program.room]
            signatures += len(self._binary.code) // ABOUT_PART_BYTES + 4
        fee = await self._client.signature_fee()
        paid_here = await self._rents(sizes) + signatures * fee
        return DeployPlan(
            program=program,
            deploys=code is None,
            works=tuple(missing),
            waiting=tuple(changes.waiting()),
            accounts=len(sizes) + len(_sizes(there)),
            rent=await self._rents(sizes + _sizes(there)),
            fees=(signatures + _signatures(there)) * fee,
            paid_here=paid_here,
            balance=await self._client.get_balance(self._keys.payer.pubkey()),
        )

    async def run(self, plan: DeployPlan, said: Said, progress: Progress) -> DeployOutcome:
        """Executes the plan, up to the first step that an authority elsewhere must sign.

        It may be interrupted at any point: another plan then has what is left. WalletTooPoor, what Upload raises, and
        what sending raises.
        """
        plan.require_funds()
        if plan.deploys:
            said(f"Uploading the program to {plan.program} …")
            room = self._file.program.room
            heir = self._keys.elsewhere
            keys = self._keys
            await self._programs.deploy(self._binary, keys.program, keys.buffer, progress, room=room, heir=heir)
        sent = 0
        for stage in STAGES:
            in_order = stage in (PARAMETERS, CHANGES)
            works = [work for work in plan.works if work.stage == stage]
            here = [work for work in works if work.step.elsewhere is None]
            if here:
                said(f"{stage.capitalize()}: {len(here)} to do …")
                sent += await self._run_stage(here, in_order=in_order)
            if len(here) < len(works):
                there = [work for work in works if work.step.elsewhere is not None]
                return DeployOutcome(sent, tuple([each async for each in self._to_sign(there, in_order=in_order)]))
        return DeployOutcome(sent)

    async def _to_sign(self, works: list[Work], *, in_order: bool) -> AsyncIterator[ToSign]:
        """Transactions that can be signed now; with `in_order` only the first."""
        groups = list(pack(work.step for work in works))
        rest = iter(works)
        for group in groups[:1] if in_order else groups:
            texts = tuple(next(rest).text for _ in group)
            yield ToSign(texts, await self._unsigned(instructions_of(group)))

    async def _unsigned(self, instructions: list[Instruction]) -> UnsignedTransaction:
        """Version 0, which every multisig's and wallet's tool reads."""
        sender = self._market.session.sender
        version = MessageVersion.V0
        return await sender.unsigned(instructions, self._keys.authority, version=version)

    async def _run_stage(self, works: list[Work], *, in_order: bool) -> int:
        groups = list(pack(work.step for work in works))
        slots = asyncio.Semaphore(1 if in_order else AT_ONCE)
        sender = self._market.session.sender

        async def run(index: int) -> None:
            async with slots:
                group = groups[index]
                signers = [signer for step in group for signer in step.signers]
                await sender.send(instructions_of(group), payer=self._keys.payer, signers=signers)

        async with asyncio.TaskGroup() as tasks:
            for index in range(len(groups)):
                tasks.create_task(run(index))
        return len(groups)

    def _require_same(self, found: MarketState, works: MarketWorks) -> None:
        market = found.market
        if market is None:
            return
        if market.market_mint != works.market_mint:
            raise MarketTaken(f"The market token is {market.market_mint}, not {works.market_mint}")
        if bool(market.testing) != self._file.testing:
            kind = "a test market" if market.testing else "not a test market"
            raise MarketTaken(f"The market is {kind}, and the file says otherwise")

    async def _rent(self, size: int) -> int:
        return await self._market.reads.program.rent_exempt_minimum(size)

    async def _rents(self, sizes: list[int]) -> int:
        return sum([await self._rent(size) * count for size, count in Counter(sizes).items()])


def _sizes(works: list[Work]) -> list[int]:
    """Of the accounts that they make."""
    return [size for work in works for size in work.sizes]


def _signatures(works: list[Work]) -> int:
    return sum(1 + len(work.step.signers) for work in works)
