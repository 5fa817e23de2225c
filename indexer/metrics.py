"""What Prometheus reads at /metrics."""

from __future__ import annotations

from prometheus_client import REGISTRY, Counter, Gauge, Histogram

from anchor_client.json_rpc.metrics import NodeMetrics

NODES = NodeMetrics()
REGISTRY.register(NODES)

EVENTS = Counter("gpu_market_indexer_events_total", "Events projected.", ["event"])
TRANSACTIONS = Counter("gpu_market_indexer_transactions_total", "Transactions read, those without events included.")
DEAD_LETTERS = Counter("gpu_market_indexer_dead_letters_total", "Events that could not be read.")
SEQ_GAPS = Counter(
    "gpu_market_indexer_seq_gaps_total", "Events that did not follow the last of their entity.", ["kind"]
)
GAPS = Gauge("gpu_market_indexer_gaps", "Gaps in the events that are looked for, or were given up.", ["state"])
WITHDRAWN = Counter("gpu_market_indexer_withdrawn_total", "Confirmed transactions that did not become final.")
CURSOR_SLOT = Gauge("gpu_market_indexer_cursor_slot", "Slot of the last transaction in the index.")
HEAD_SLOT = Gauge("gpu_market_indexer_head_slot", "Newest slot at the commitment that is followed.")
LAG_SECONDS = Gauge("gpu_market_indexer_lag_seconds", "Seconds since the index was known to be complete.")
MISMATCHES = Gauge("gpu_market_indexer_vault_mismatches", "Vaults whose ledger here differs from the chain's.")
SOURCE_FAILURES = Counter("gpu_market_indexer_source_failures_total", "Failed attempts to read the cluster.", ["kind"])
INGEST_SECONDS = Histogram("gpu_market_indexer_ingest_seconds", "Time to ingest one batch.")
CONNECTIONS_DROPPED = Counter("gpu_market_api_connections_dropped_total", "Connections dropped, by why.", ["reason"])
REQUEST_SECONDS = Histogram("gpu_market_api_request_seconds", "Time to answer a request.", ["route", "status"])
