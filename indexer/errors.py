"""Errors that stop the indexer, each with its remedy."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path


class IndexerError(Exception):
    """A failure that needs an operator."""

    remedy = "see the log"


class UnreadableTransaction(IndexerError, ValueError):
    """A node's answer lacks what an index needs of a transaction."""

    remedy = "use an RPC node that keeps transaction history with inner instructions"

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"transaction {name} cannot be read: {reason}")


class TransactionMissing(IndexerError, ValueError):
    """A node lists a transaction that it does not have."""

    remedy = "use an RPC node with complete history; the indexer waits and asks again"

    def __init__(self, signature: str) -> None:
        super().__init__(f"the node lists transaction {signature} but does not return it")


class NodeBehind(IndexerError):
    """A node answers from a slot long before one that has been seen."""

    remedy = "wait until the node has caught up, or use another one"

    def __init__(self, slot: int, seen: int) -> None:
        super().__init__(f"the node is at slot {slot}, {seen - slot} slots behind what has been seen")


class OtherCluster(IndexerError):
    """A node is of another cluster than the index."""

    remedy = "set rpc_url to a node of the index's cluster, or use another database"

    def __init__(self, found: str, known: str) -> None:
        super().__init__(f"the node's cluster has the genesis hash {found}, that of the index {known}")


class NoProgress(IndexerError):
    """A read of the chain that neither advances nor fails."""

    remedy = "check the node and the database: one of them does not answer"

    def __init__(self, seconds: float) -> None:
        super().__init__(f"a read of the chain has waited {seconds:.0f} s for its node or its database")


class DatabaseUnusable(IndexerError):
    """The database URL cannot be used."""

    remedy = "give a URL like sqlite:///index.db or postgresql+psycopg://user@host/database"


class LimitsUnusable(IndexerError):
    """The storage of the API's limits cannot be used."""

    remedy = "give a URL like redis://host:6379/0, and install the extra: pip install 'gpu-market[redis]'"

    def __init__(self, reason: str) -> None:
        super().__init__(f"limits cannot be kept in Redis: {reason}")


class AuthKeysUnusable(IndexerError):
    """The file of keys that tokens are made with cannot be used."""

    remedy = "remove the file, so that a new one is made, or set its mode to 0600"

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(f"the key file {path} cannot be used: {reason}")


class HooksUnserved(IndexerError):
    """The port for webhooks is taken."""

    remedy = "choose another port for webhooks"

    def __init__(self, port: int, error: OSError) -> None:
        super().__init__(f"webhooks cannot be taken on port {port}: {error.strerror}")


class StreamLost(IndexerError):
    """A gRPC server ended a stream, or did not begin it; `refused` if it did not want what it was asked for."""

    remedy = "check the gRPC URL and its token; the indexer reads by RPC meanwhile and subscribes again"

    def __init__(self, reason: str, *, refused: bool = False) -> None:
        super().__init__(f"the stream of blocks is lost: {reason}")
        self.refused = refused


class GrpcMissing(IndexerError):
    """The packages for gRPC are not installed."""

    remedy = "install the extra: pip install 'gpu-market[grpc]'"

    def __init__(self) -> None:
        super().__init__("following a gRPC stream needs grpcio and protobuf")


class ParquetMissing(IndexerError):
    """The package for Parquet files is not installed."""

    remedy = "install the extra: pip install 'gpu-market[parquet]'"

    def __init__(self) -> None:
        super().__init__("exporting events needs pyarrow")


class ExportUnusable(IndexerError):
    """A folder that events cannot be exported to, or an index that has none."""

    remedy = "choose another folder, or wait until the index has taken in events"


class ExportDiffers(IndexerError):
    """Exported files and index do not hold the same events."""

    remedy = "export to a new folder"


class KafkaMissing(IndexerError):
    """The package for Kafka is not installed."""

    remedy = "install the extra: pip install 'gpu-market[kafka]'"

    def __init__(self) -> None:
        super().__init__("reading or writing a topic needs confluent-kafka")


class KafkaFailed(IndexerError):
    """The brokers refuse, or do not answer."""

    remedy = "check kafka_servers, kafka_options and the brokers; it is tried again"


class TopicUnusable(IndexerError):
    """The topic is missing, or has more than one partition."""

    remedy = "start `gpu-market indexer source`, which creates the topic, or create it with one partition"


class UnreadableMessage(IndexerError, ValueError):
    """A message that no source of this version writes."""

    remedy = "update gpu-market, or use a topic that only its sources write to"

    def __init__(self, offset: int, reason: str) -> None:
        super().__init__(f"the message at offset {offset} cannot be read: {reason}")


class MarksMissing(IndexerError):
    """No source has marked a slot as complete, though later ones may be."""

    remedy = "start `gpu-market indexer source`, with --from and --to for what the topic lacks"

    def __init__(self, slot: int) -> None:
        self.slot = slot
        super().__init__(f"too few sources have marked slot {slot} as complete")


class SourcesDiffer(IndexerError):
    """Sources have sent different transactions of a slot."""

    remedy = "stop the source that is wrong, or add one: gpu-market indexer source"

    def __init__(self, slot: int, agree: int, sent: Mapping[str, int]) -> None:
        counts = ", ".join(f"{source} has sent {count}" for source, count in sorted(sent.items()))
        super().__init__(f"not exactly one set of {agree} sources agrees on slot {slot}: {counts} transactions")


class SourcesBehind(IndexerError):
    """Too few sources have got as far as the others; what those send is read again once it is due."""

    remedy = "look at the sources that are behind, or start another: gpu-market indexer source"

    def __init__(self, slot: int, agree: int, reach: Mapping[str, int], kept: int) -> None:
        places = ", ".join(f"{source} at {last}" for source, last in sorted(reach.items()))
        super().__init__(
            f"slot {slot} waits for {agree} sources: {places}; from slot {kept} on the topic is read again later"
        )


class Fenced(IndexerError):
    """Another projector has taken over; this one can no longer write."""

    remedy = "nothing: this one stands by"

    def __init__(self) -> None:
        super().__init__("another projector has taken over")


class Superseded(IndexerError):
    """A newer version of the code has made the projections; this one must not write."""

    remedy = "install the newest version, or go back to this one with `gpu-market indexer rebuild`"

    def __init__(self) -> None:
        super().__init__("a newer version of gpu-market has made this index's tables")
