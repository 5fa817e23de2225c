"""What Prometheus reads at /metrics."""

from __future__ import annotations

from collections.abc import Iterable

from prometheus_client import REGISTRY, CollectorRegistry, Counter, Gauge, Histogram, generate_latest

from anchor_client.json_rpc.metrics import NodeMetrics

INDEX = CollectorRegistry()
"""What the process that follows the chain counts; an API in another process repeats what that has told."""
INDEX_NODES = NodeMetrics()
INDEX.register(INDEX_NODES)
API_NODES = NodeMetrics()
REGISTRY.register(API_NODES)

EVENTS = Counter("gpu_market_indexer_events_total", "Events projected.", ["event"], registry=INDEX)
TRANSACTIONS = Counter(
    "gpu_market_indexer_transactions_total", "Transactions read, those without events included.", registry=INDEX
)
DEAD_LETTERS = Counter("gpu_market_indexer_dead_letters_total", "Events that could not be read.", registry=INDEX)
SEQ_GAPS = Counter(
    "gpu_market_indexer_seq_gaps_total",
    "Events that did not follow the last of their entity.",
    ["kind"],
    registry=INDEX,
)
GAPS = Gauge(
    "gpu_market_indexer_gaps", "Gaps in the events that are looked for, or were given up.", ["state"], registry=INDEX
)
WITHDRAWN = Counter(
    "gpu_market_indexer_withdrawn_total", "Confirmed transactions that did not become final.", registry=INDEX
)
CURSOR_SLOT = Gauge("gpu_market_indexer_cursor_slot", "Slot of the last transaction in the index.", registry=INDEX)
HEAD_SLOT = Gauge("gpu_market_indexer_head_slot", "Newest slot at the commitment that is followed.", registry=INDEX)
LAG_SECONDS = Gauge(
    "gpu_market_indexer_lag_seconds", "Seconds since the index was known to be complete.", registry=INDEX
)
MISMATCHES = Gauge(
    "gpu_market_indexer_vault_mismatches", "Vaults whose ledger here differs from the chain's.", registry=INDEX
)
SOURCE_FAILURES = Counter(
    "gpu_market_indexer_source_failures_total", "Failed attempts to read the cluster.", ["kind"], registry=INDEX
)
INGEST_SECONDS = Histogram("gpu_market_indexer_ingest_seconds", "Time to ingest one batch.", registry=INDEX)
CONNECTIONS_DROPPED = Counter("gpu_market_api_connections_dropped_total", "Connections dropped, by why.", ["reason"])
REQUEST_SECONDS = Histogram("gpu_market_api_request_seconds", "Time to answer a request.", ["route", "status"])


def told() -> str:
    """What this process has counted of the index, as Prometheus reads it."""
    return generate_latest(INDEX).decode()


def merged(texts: Iterable[str]) -> str:
    """Several texts as one, in which each family of metrics is introduced once."""
    families: dict[str, list[str]] = {}
    for text in texts:
        known, lines = set(families), []
        for line in text.splitlines():
            if line.startswith("# HELP "):
                lines = families.setdefault(line.split(" ")[2], [])
            if not (line.startswith("# ") and line.split(" ")[2] in known):
                lines.append(line)
    return "".join(f"{line}\n" for lines in families.values() for line in lines)
