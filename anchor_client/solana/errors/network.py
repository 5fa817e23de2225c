"""Errors of the RPC node."""

from __future__ import annotations

from typing import Final

from anchor_client.service.errors import GpuMarketError


class UnreachableRpc(GpuMarketError):
    """The RPC node does not answer."""

    default_remedy = "Check --rpc and the network; on a laptop `gpu-market up` starts a cluster."


class WrongEndpoint(GpuMarketError):
    """The server at the URL is not a Solana RPC node."""

    default_remedy = "Check --rpc: it takes the URL of a JSON-RPC endpoint, such as https://api.devnet.solana.com."


class UnreadableAnswer(WrongEndpoint):
    """An answer is not what its method answers: the URL is not an RPC node's, or the node is not well."""


class RateLimited(GpuMarketError):
    """The RPC node is rate limiting requests; `retry_after` is how many seconds it says to wait, if it does."""

    default_remedy = "Wait a minute, or use an RPC node of your own with --rpc."

    def __init__(self, message: str, *, retry_after: float | None = None) -> None:
        super().__init__(message)
        self.retry_after = retry_after


class RpcRefused(GpuMarketError):
    """The RPC node refused a request; `code` is its JSON-RPC error code, `reason` its answer if it is a known one."""

    default_remedy = "Check that the RPC node is current and healthy, or use another with --rpc."

    def __init__(self, message: str, code: int | None = None, *, reason: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason


NODE_FAILURES: Final = (UnreachableRpc, WrongEndpoint, RateLimited, RpcRefused)
"""Every failure of a node; none shows the outcome of a sent transaction."""
PASSING_FAILURES: Final = (UnreachableRpc, UnreadableAnswer, RateLimited, RpcRefused)
"""Those of a node that may be well again later."""
