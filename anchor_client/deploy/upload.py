"""Puts bytes into a buffer account: code for the loader, or metadata of a program.

What has arrived is what the buffer holds: each round reads it, writes the parts that differ, all at once, and waits
until those have landed or can no longer land. So an upload that was interrupted anywhere, on this machine or another,
resumes where it stopped, and ends only once the cluster holds every byte.
"""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Callable, Sequence
from typing import Final

from solana.rpc.commitment import Confirmed
from solders.hash import Hash
from solders.keypair import Keypair
from solders.transaction import VersionedTransaction
from solders.transaction_status import TransactionConfirmationStatus as Status
from solders.transaction_status import TransactionStatus

from anchor_client.deploy.errors import UploadStalled
from anchor_client.deploy.targets import UploadTarget
from anchor_client.errors import NODE_FAILURES
from anchor_client.solana.transactions import ComputeBudget, TransactionSender, compile_message
from anchor_client.solana.transactions.fees import recent_priority_fee
from anchor_client.solana.transactions.message import PACKET_BYTES, transaction_size

WRITE_UNITS: Final = 5_000
ABOUT_PART_BYTES: Final = 1_000
"""Content bytes of one transaction, for an estimate of their number."""
AT_ONCE: Final = 16
ROUND_PARTS: Final = 256
"""As many as one question about their signatures takes."""
IDLE_ROUNDS: Final = 3

_log = logging.getLogger(__name__)

Progress = Callable[[int, int], None]
"""Called with how many bytes are there, and of how many."""


class Upload:
    """One piece of code on its way into one buffer."""

    def __init__(self, sender: TransactionSender, payer: Keypair, target: UploadTarget, code: bytes) -> None:
        self._sender = sender
        self._payer = payer
        self._target = target
        self._code = code

    async def run(self, progress: Progress = lambda done, total: None) -> int:
        """Writes what the buffer lacks, and returns how many transactions that took.

        Raises NotTheAuthority where the buffer is another key's, UploadStalled, and what sending raises.
        """
        await self._open()
        sent = idle = 0
        missing = await self._missing()
        while missing:
            progress(len(self._code) - sum(len(part) for _, part in missing), len(self._code))
            sent += await self._write(missing[:ROUND_PARTS])
            left = await self._missing()
            idle = idle + 1 if len(left) >= len(missing) else 0
            if idle >= IDLE_ROUNDS:
                raise UploadStalled(f"{len(left)} parts of the code have not arrived after {sent} transactions")
            missing = left
        progress(len(self._code), len(self._code))
        return sent

    async def _open(self) -> None:
        found = await self._read()
        if found is not None:
            if len(found) == len(self._code):
                return
            raise UploadStalled(
                f"The buffer {self._target.address} has room for {len(found)} bytes, the code has {len(self._code)}",
                "Close it with `gpu-market deploy close BUFFER`, and run the command again.",
            )
        size = len(self._code)
        rent = await self._sender.client.get_minimum_balance_for_rent_exemption(self._target.header + size)
        await self._sender.send(self._target.opening(rent, size), payer=self._payer, signers=self._target.signers)

    async def _read(self) -> bytes | None:
        [account] = await self._sender.client.get_multiple_accounts([self._target.address], Confirmed)
        return self._target.held(account)

    async def _missing(self) -> list[tuple[int, bytes]]:
        """The parts of the code that the buffer lacks, with their offsets."""
        there = await self._read() or b""
        size = self._part_bytes()
        parts = ((start, self._code[start : start + size]) for start in range(0, len(self._code), size))
        return [(start, part) for start, part in parts if there[start : start + len(part)] != part]

    def _part_bytes(self) -> int:
        """As much code as fits a transaction."""
        return PACKET_BYTES - transaction_size(
            compile_message([self._target.write(0, b"")], self._payer.pubkey(), Hash.default(), budget=_budget(1))
        )

    async def _write(self, parts: Sequence[tuple[int, bytes]]) -> int:
        """Sends these parts and waits until each has landed or never will."""
        client = self._sender.client
        writes = [self._target.write(offset, part) for offset, part in parts]
        fee = await recent_priority_fee(client, writes[:1], self._payer.pubkey(), self._sender.max_priority_fee)
        blockhash, last_valid = await self._sender.latest_blockhash()
        signed = [
            VersionedTransaction(
                compile_message([each], self._payer.pubkey(), blockhash, budget=_budget(fee)), [self._payer]
            )
            for each in writes
        ]
        await self._land(signed, last_valid)
        return len(signed)

    async def _land(self, signed: Sequence[VersionedTransaction], last_valid: int) -> None:
        """Resends writes until all have landed, or none can any more."""
        client = self._sender.client
        timing = self._sender.timing
        waiting = list(signed)
        sent_at = -timing.rebroadcast
        while waiting:
            if time.monotonic() - sent_at >= timing.rebroadcast:
                await self._send(waiting)
                sent_at = time.monotonic()
            height = await client.get_block_height()
            statuses = await client.get_signature_statuses([each.signatures[0] for each in waiting])
            waiting = [each for each, status in zip(waiting, statuses, strict=True) if not _has_landed(status)]
            if height > last_valid:
                return
            if waiting:
                # Polled: a node announces a signature that lands, and says nothing of one that never will.
                await asyncio.sleep(timing.poll)

    async def _send(self, signed: Sequence[VersionedTransaction]) -> None:
        slots = asyncio.Semaphore(AT_ONCE)

        async def send(transaction: VersionedTransaction) -> None:
            async with slots:
                try:
                    await self._sender.client.send_transaction(transaction, preflight=False)
                except NODE_FAILURES as error:
                    _log.debug("a part was refused: %s", error.message)  # it is sent again

        async with asyncio.TaskGroup() as group:
            for each in signed:
                group.create_task(send(each))


def _has_landed(status: TransactionStatus | None) -> bool:
    return status is not None and status.confirmation_status in (Status.Confirmed, Status.Finalized)


def _budget(priority_fee: int) -> ComputeBudget:
    return ComputeBudget(units=WRITE_UNITS, priority_fee=priority_fee)
