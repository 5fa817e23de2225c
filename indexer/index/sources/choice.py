"""The source that the settings name."""

from __future__ import annotations

from indexer.errors import GrpcMissing
from indexer.index.sources.history import History
from indexer.index.sources.rpc import RpcSource
from indexer.index.sources.source import Heard, TransactionSource
from indexer.settings import IndexerSettings


def source_of(settings: IndexerSettings, history: History, *, heard: Heard) -> TransactionSource:
    """A stream if there is one, else RPC alone. Raises GrpcMissing."""
    if settings.grpc_url is None:
        return RpcSource(settings, history, heard=heard)
    try:
        from indexer.index.sources.grpc.source import GrpcSource  # noqa: PLC0415 - an optional dependency
        from indexer.index.sources.grpc.stream import BlockStream  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise GrpcMissing from error
    stream = BlockStream(settings.grpc_url, settings.grpc_token, settings.program_id, settings.commitment)
    return GrpcSource(stream, history, heard=heard)
