"""Uploads and transactions over a node that loses some of what it takes, at short and usual slots."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from random import Random
from typing import Any

import pytest
from solders.keypair import Keypair
from solders.signature import Signature
from solders.system_program import TransferParams, transfer
from solders.transaction import VersionedTransaction

from anchor_client.deploy.errors import NotTheAuthority, UploadStalled
from anchor_client.deploy.targets import CodeBuffer
from anchor_client.deploy.upload import Upload
from anchor_client.errors import TransactionExpired
from anchor_client.market.program import MarketProgram
from anchor_client.solana.loader import Buffer
from anchor_client.solana.node import NodeClient
from anchor_client.solana.transactions import TransactionSender
from anchor_client.solana.transactions.confirmation import BLOCKHASH_BLOCKS, Timing
from localnet.server import LocalCluster
from tests.sweeps import sampled

SOL = 10**9
CODE = Random(1).randbytes(60_000)
TIMING = Timing(rebroadcast=0.5)
slots = pytest.mark.parametrize("slot_ms", sampled([200, 100, 400], 3))


class LossyNode(NodeClient):
    """Takes transactions and loses those that `lost` says, by their number; the sender is told nothing."""

    def __init__(self, url: str, share: float) -> None:
        super().__init__(url)
        self._chance = Random(2)
        self._share = share
        self.lost = self.taken = 0

    async def send_transaction(self, transaction: VersionedTransaction, **options: Any) -> Signature:
        """NodeClient's, unless it gets lost."""
        if self._chance.random() < self._share:
            self.lost += 1
            return transaction.signatures[0]
        self.taken += 1
        return await super().send_transaction(transaction, **options)


@asynccontextmanager
async def node(slot_ms: int, share: float) -> AsyncIterator[tuple[LossyNode, TransactionSender, Keypair]]:
    """A cluster's lossy node, and somebody with SOL."""
    async with LocalCluster(slot_ms=slot_ms) as local, LossyNode(local.http_url, share) as client:
        payer = Keypair()
        local.cluster.airdrop(payer.pubkey(), 100 * SOL)
        yield client, TransactionSender(client, MarketProgram(), timing=TIMING), payer


async def read(client: NodeClient, buffer: Keypair) -> Buffer | None:
    [account] = await client.get_multiple_accounts([buffer.pubkey()])
    return Buffer.read(account)


@slots
async def test_upload__node_that_loses_a_third__arrives_whole(slot_ms: int) -> None:
    async with node(slot_ms, 0.33) as (client, sender, payer):
        buffer = Keypair()
        told: list[int] = []
        await Upload(sender, payer, CodeBuffer(buffer, payer.pubkey()), CODE).run(lambda done, total: told.append(done))
        found = await read(client, buffer)
        assert found is not None and found.code == CODE
        assert told[-1] == len(CODE) and client.lost > 5


@slots
async def test_send__first_broadcasts_lost__lands_by_another(slot_ms: int) -> None:
    async with node(slot_ms, 0.6) as (client, sender, payer):
        for lamports in range(SOL, SOL + 5):
            give = TransferParams(from_pubkey=payer.pubkey(), to_pubkey=Keypair().pubkey(), lamports=lamports)
            await sender.send([transfer(give)], payer=payer)
        assert client.lost > 0 and client.taken >= 5


@pytest.mark.exhaustive
@slots
async def test_send__never_taken__expires_with_its_blockhash(slot_ms: int) -> None:
    async with node(slot_ms, 1.0) as (_, sender, payer):
        give = TransferParams(from_pubkey=payer.pubkey(), to_pubkey=Keypair().pubkey(), lamports=SOL)
        began = time.monotonic()
        with pytest.raises(TransactionExpired):
            await sender.send([transfer(give)], payer=payer)
        lived = BLOCKHASH_BLOCKS * slot_ms / 1000
        assert lived * 0.9 < time.monotonic() - began < lived + 15


async def test_upload__cancelled_and_run_again__writes_only_what_is_missing() -> None:
    async with node(100, 0.0) as (client, sender, payer):
        buffer = Keypair()
        enough = asyncio.Event()
        half = len(CODE) // 2
        first = Upload(sender, payer, CodeBuffer(buffer, payer.pubkey()), CODE[:half] + bytes(len(CODE) - half))
        await first.run(lambda done, total: enough.set())
        before = client.taken
        await Upload(sender, payer, CodeBuffer(buffer, payer.pubkey()), CODE).run()
        assert client.taken - before < before, "the first half is there"
        found = await read(client, buffer)
        assert found is not None and found.code == CODE


async def test_upload__buffer_of_somebody_else_or_of_another_size__is_refused() -> None:
    async with node(100, 0.0) as (_, sender, payer):
        buffer, other = Keypair(), Keypair()
        await Upload(sender, payer, CodeBuffer(buffer, payer.pubkey()), CODE[:2_000]).run()
        with pytest.raises(UploadStalled, match="room"):
            await Upload(sender, payer, CodeBuffer(buffer, payer.pubkey()), CODE).run()
        with pytest.raises(NotTheAuthority):
            await Upload(sender, other, CodeBuffer(buffer, other.pubkey()), CODE[:2_000]).run()
