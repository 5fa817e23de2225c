"""A node whose cluster takes no version-1 messages."""

from __future__ import annotations

import pytest
from solana.rpc.commitment import Commitment
from solders.message import MessageV1
from solders.rpc.responses import RpcSimulateTransactionResult
from solders.transaction import VersionedTransaction
from solders.transaction_status import TransactionErrorFieldless

from anchor_client.errors import RpcRefused
from anchor_client.solana.node import NodeClient


def refuse_version_1(monkeypatch: pytest.MonkeyPatch, *, reads_it: bool = False) -> list[str]:
    """Every node refuses to simulate them: at once, or with the runtime's error where it `reads_it`. What has been
    simulated since is in the list, by type."""
    simulate = NodeClient.simulate_transaction
    simulated: list[str] = []

    async def older(
        self: NodeClient,
        transaction: VersionedTransaction,
        commitment: Commitment | None = None,
        *,
        inner: bool = False,
    ) -> RpcSimulateTransactionResult:
        simulated.append(type(transaction.message).__name__)
        if not isinstance(transaction.message, MessageV1):
            return await simulate(self, transaction, commitment, inner=inner)
        if not reads_it:
            raise RpcRefused("The RPC node refused: invalid transaction: unknown version", -32602)
        return RpcSimulateTransactionResult(err=TransactionErrorFieldless.UnsupportedVersion)

    monkeypatch.setattr(NodeClient, "simulate_transaction", older)
    return simulated
