"""Errors of transactions: invalid, expired, or of unknown outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anchor_client.service.errors import GpuMarketError

if TYPE_CHECKING:
    from solders.signature import Signature


class TransactionTooLarge(GpuMarketError):
    """The transaction does not fit its message version."""

    default_remedy = "Send fewer instructions per transaction, or use version-1 messages."


class InvalidTransaction(GpuMarketError):
    """The bytes are no transaction."""

    default_remedy = "Send the whole signed transaction in base64."


class ForeignTransaction(GpuMarketError):
    """The transaction has no instruction of the market's program."""

    default_remedy = "Send it to an RPC node: only the market's transactions are relayed."


class TransactionExpired(GpuMarketError):
    """The transaction did not land, and its blockhash is too old for it ever to; nothing has been paid."""

    default_remedy = "Send it again; raise the maximum priority fee when the cluster is busy."

    def __init__(self, signature: Signature, last_valid_block_height: int) -> None:
        super().__init__(f"Transaction {signature} did not land by block {last_valid_block_height} and never will")
        self.signature = signature
        self.last_valid_block_height = last_valid_block_height


class OutcomeUnknown(GpuMarketError):
    """The RPC node stopped answering while the transaction may still land."""

    def __init__(self, signature: Signature, last_valid_block_height: int) -> None:
        super().__init__(
            f"The RPC node stopped answering; transaction {signature} may still land, up to block "
            f"{last_valid_block_height}",
            f"Look up {signature} before you retry.",
        )
        self.signature = signature
        self.last_valid_block_height = last_valid_block_height


class DetailsUnavailable(GpuMarketError):
    """The transaction has landed, but the RPC node does not return its details."""

    def __init__(self, signature: Signature) -> None:
        super().__init__(
            f"Transaction {signature} has landed, but the RPC node does not return its details",
            "Do not send it again; look it up later, or on another RPC node.",
        )
        self.signature = signature
