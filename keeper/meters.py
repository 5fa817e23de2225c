"""Moves meters along: notes ends, pays hosts, drops what was disputed and gives caps back.

Nobody is paid for it, so a keeper does it only when its operator says so: one transaction a meter, at his expense.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import structlog
from solders.instruction import Instruction
from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client.errors import GpuMarketError, RateLimited, RpcRefused, UnreachableRpc
from anchor_client.generated.accounts import Meter
from anchor_client.rpc import Reader
from anchor_client.tokens import TOKEN_ACCOUNT_BYTES, create_associated_token
from anchor_client.transactions import TransactionSender
from anchor_client.wallet import Wallet
from keeper.backoff import Backoff, SetAside
from keeper.settings import KeeperSettings
from keeper.tasks.close_meter import CLOSE_METER
from keeper.tasks.end_meter import END_METER
from keeper.tasks.meter_due import MeterDue, MeterSnapshot, MeterTask, find_meters_due
from keeper.tasks.resolve_dispute import RESOLVE_DISPUTE
from keeper.tasks.settle_meter import SETTLE_METER
from keeper.token_accounts import Payee, find_token_accounts

METER_TASKS: Final[tuple[MeterTask, ...]] = (END_METER, RESOLVE_DISPUTE, CLOSE_METER, SETTLE_METER)
MAX_PASSES: Final = 4
TOKEN_ACCOUNTS: Final = ("host_token", "renter_token")
NODE_ERRORS: Final = (UnreachableRpc, RateLimited, RpcRefused)

log = structlog.get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Moved:
    """A meter that this keeper has moved along."""

    meter: Pubkey
    task: str
    signature: Signature
    fee: int
    """Lamports."""


async def read_meters(reader: Reader) -> MeterSnapshot:
    """Reads the clock first, so that nothing seems due before it is. Raises the network's errors."""
    now = await reader.now()
    meters = await reader.read_all(Meter)
    rentals = [meter.rental for meter in meters.values() if meter.ended_at == 0]
    accounts = await reader.accounts(rentals) if rentals else []
    ended = {
        rental
        for rental, account in zip(rentals, accounts, strict=True)
        if account is None or account.owner != reader.program_id
    }
    return MeterSnapshot(now, meters, frozenset(ended))


class MeterKeeper:
    """Moves along what is due. A meter that fails is set aside, each time for twice as long."""

    def __init__(self, settings: KeeperSettings, reader: Reader) -> None:
        self.moved: list[Moved] = []
        self._backoff = Backoff(settings.backoff_seconds, settings.max_backoff_seconds)
        self._loss = settings.token_account_loss_lamports
        self._reader = reader
        self._slots = asyncio.Semaphore(settings.max_in_flight)
        self._wallet: Wallet = settings.wallet()
        self._sender = TransactionSender(
            reader.client,
            commitment=reader.commitment,
            max_priority_fee=settings.max_priority_fee,
            program_id=reader.program_id,
        )

    @property
    def failed(self) -> dict[Pubkey, SetAside]:
        """Meters that are due and could not be moved along."""
        return self._backoff.entries()

    async def run(self) -> None:
        """Passes until nothing more moves. Raises the network's errors."""
        for _ in range(MAX_PASSES):
            if await self.run_pass() == 0:
                return

    async def run_pass(self) -> int:
        """Moves every meter that is due one step along; how many. Raises the network's errors."""
        snapshot = await read_meters(self._reader)
        due = find_meters_due(METER_TASKS, snapshot)
        self._backoff.retain({entry.address for entry in due})
        open_ = [entry for entry in due if not self._backoff.holds(entry.address, snapshot.now)]
        accounts = await find_token_accounts(self._reader, (payee for entry in open_ for payee in _payees(entry)))
        rent = await self._reader.rent_exempt_minimum(TOKEN_ACCOUNT_BYTES) if None in accounts.values() else 0
        steps = []
        for entry in open_:
            missing = [payee for payee in _payees(entry) if accounts[payee] is None]
            if rent * len(missing) > self._loss:
                log.info("meter_skipped", meter=str(entry.address), reason="token_account_missing")
                continue
            creates = [create_associated_token(self._wallet.pubkey, payee.owner, payee.mint) for payee in missing]
            steps.append(self._move(entry, [*creates, self._instruction(entry, accounts)], snapshot.now))
        return sum(await asyncio.gather(*steps))

    def _instruction(self, due: MeterDue, accounts: Mapping[Payee, Pubkey | None]) -> Instruction:
        named = {
            name: accounts[payee] or payee.associated
            for payee, name, paid in zip(_parties(due.meter), TOKEN_ACCOUNTS, due.task.pays, strict=True)
            if paid
        }
        return due.task.build(meter=due.address, meter_data=due.meter, program_id=self._reader.program_id, **named)

    async def _move(self, due: MeterDue, instructions: Sequence[Instruction], now: int) -> bool:
        async with self._slots:
            try:
                sent = await self._sender.send(instructions, payer=self._wallet)
            except NODE_ERRORS:
                raise
            except GpuMarketError as error:
                entry = self._backoff.set_aside(due.address, type(error).__name__, error.message, now)
                log.warning("meter_failed", meter=str(due.address), task=due.task.name, reason=entry.reason)
                return False
        self.moved.append(Moved(due.address, due.task.name, sent.signature, sent.fee))
        log.info("meter_moved", meter=str(due.address), task=due.task.name, signature=str(sent.signature))
        return True


def _parties(meter: Meter) -> tuple[Payee, Payee]:
    """The host and the renter."""
    return Payee(meter.authority, meter.mint), Payee(meter.renter, meter.mint)


def _payees(due: MeterDue) -> list[Payee]:
    return [payee for payee, paid in zip(_parties(due.meter), due.task.pays, strict=True) if paid]
