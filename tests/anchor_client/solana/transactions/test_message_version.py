"""Version of the messages that are sent, or handed to a wallet elsewhere."""

from __future__ import annotations

import pytest
from solders.keypair import Keypair
from solders.message import MessageV0, MessageV1

from anchor_client.errors import InsufficientLamports, TransactionTooLarge
from anchor_client.solana.transactions import ComputeBudget, MessageVersion, TransactionSender
from tests.anchor_client.solana.older_node import refuse_version_1
from tests.anchor_client.solana.transactions.sending import payment

MANY = 30
"""Payments that fit v1 and not v0."""
NOBODY = Keypair().pubkey()


async def test_prepare__by_default__is_v1(sender: TransactionSender, payer: Keypair) -> None:
    prepared = await sender.prepare([payment(payer, NOBODY)], payer=payer)
    assert isinstance(prepared.transaction.message, MessageV1)
    assert (await sender.submit(prepared)).fee == 5_000


@pytest.mark.parametrize("reads_it", [False, True])
async def test_prepare__cluster_without_v1__is_v0_and_asks_once(
    sender: TransactionSender, payer: Keypair, monkeypatch: pytest.MonkeyPatch, reads_it: bool
) -> None:
    simulated = refuse_version_1(monkeypatch, reads_it=reads_it)
    for _ in range(2):
        prepared = await sender.prepare([payment(payer, NOBODY)], payer=payer)
        assert isinstance(prepared.transaction.message, MessageV0)
    assert simulated == ["MessageV1", "MessageV0", "MessageV0"]


@pytest.mark.parametrize("reads_it", [False, True])
async def test_prepare__cluster_without_v1__tells_why_it_would_fail_and_when_it_is_too_large(
    sender: TransactionSender, payer: Keypair, monkeypatch: pytest.MonkeyPatch, reads_it: bool
) -> None:
    refuse_version_1(monkeypatch, reads_it=reads_it)
    with pytest.raises(InsufficientLamports):
        await sender.prepare([payment(payer, NOBODY, 10**15)], payer=payer)
    many = [payment(payer, Keypair().pubkey()) for _ in range(MANY)]
    with pytest.raises(TransactionTooLarge):
        await sender.prepare(many, payer=payer)


async def test_prepare__version_of_the_sender__is_kept(sender: TransactionSender, payer: Keypair) -> None:
    sender.version = MessageVersion.V0
    assert isinstance((await sender.prepare([payment(payer, NOBODY)], payer=payer)).transaction.message, MessageV0)


@pytest.mark.parametrize(
    ("payments", "asked", "version"),
    [
        (1, None, MessageVersion.V0),
        (MANY, None, MessageVersion.V1),
        (1, MessageVersion.V0, MessageVersion.V0),
        (1, MessageVersion.V1, MessageVersion.V1),
    ],
)
async def test_unsigned__wallet_elsewhere__gets_the_version_that_it_takes(
    sender: TransactionSender, payer: Keypair, payments: int, asked: MessageVersion | None, version: MessageVersion
) -> None:
    many = [payment(payer, Keypair().pubkey()) for _ in range(payments)]
    assert (await sender.unsigned(many, payer.pubkey(), version=asked)).version is version


async def test_unsigned__v1_where_the_cluster_takes_none__is_v0(
    sender: TransactionSender, payer: Keypair, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse_version_1(monkeypatch)
    made = await sender.unsigned([payment(payer, NOBODY)], payer.pubkey(), version=MessageVersion.V1)
    assert made.version is MessageVersion.V0


@pytest.mark.parametrize(("payments", "kind"), [(1, MessageV0), (MANY, MessageV1)])
async def test_prepare__budget_given__simulates_nothing(
    sender: TransactionSender, payer: Keypair, payments: int, kind: type, monkeypatch: pytest.MonkeyPatch
) -> None:
    simulated = refuse_version_1(monkeypatch)
    many = [payment(payer, Keypair().pubkey()) for _ in range(payments)]
    prepared = await sender.prepare(many, payer=payer, budget=ComputeBudget(100_000))
    assert isinstance(prepared.transaction.message, kind) and simulated == []
