"""Metrics of the index and its API for Prometheus; `index.lag` and `api.workers.metrics` add to them."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from anchor_client.solana.json_rpc.metrics import NodeMetrics

INDEX = CollectorRegistry()
"""Metrics of the process that follows the chain."""
INDEX_NODES = NodeMetrics()
INDEX.register(INDEX_NODES)
API = CollectorRegistry()
"""Metrics of a process that answers requests."""
API_NODES = NodeMetrics()
API.register(API_NODES)

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
GAP_OPEN, GAP_GIVEN_UP = GAP_STATES = ("open", "given up")
GAPS = Gauge(
    "gpu_market_indexer_gaps", "Gaps in the events that are looked for, or were given up.", ["state"], registry=INDEX
)
for _state in GAP_STATES:
    GAPS.labels(_state)  # told from the start: its absence is an alert
WITHDRAWN = Counter(
    "gpu_market_indexer_withdrawn_total", "Confirmed transactions that did not become final.", registry=INDEX
)
CURSOR_SLOT = Gauge("gpu_market_indexer_cursor_slot", "Slot of the last transaction in the index.", registry=INDEX)
MISMATCHES = Gauge(
    "gpu_market_indexer_vault_mismatches", "Vaults whose ledger here differs from the chain's.", registry=INDEX
)
SOURCE_FAILURES = Counter(
    "gpu_market_indexer_source_failures_total", "Failed attempts to read the cluster.", ["kind"], registry=INDEX
)
STREAMED = Counter(
    "gpu_market_indexer_streamed_total", "Transactions that a stream gave and that were not asked for.", registry=INDEX
)
STREAM_SLOT = Gauge(
    "gpu_market_indexer_stream_slot", "Slot of the last block that a stream gave; 0 while it is lost.", registry=INDEX
)
PUBLISHED = Counter(
    "gpu_market_indexer_published_total", "Transactions that a source has written to its topic.", registry=INDEX
)
PUBLISHED_SLOT = Gauge(
    "gpu_market_indexer_published_slot", "Slot up to which a source has marked its topic.", registry=INDEX
)
PROJECTOR_ACTIVE = Gauge(
    "gpu_market_indexer_projector_active", "1 in the one projector of a topic that writes.", registry=INDEX
)
HOOKS = Counter("gpu_market_indexer_hooks_total", "Webhooks, by response status.", ["status"], registry=INDEX)
TRANSACTIONS_WAITING = Gauge(
    "gpu_market_indexer_transactions_waiting", "Transactions that are listed and not read yet.", registry=INDEX
)
HANDLED = Counter(
    "gpu_market_indexer_handled_total", "Events that a handler took, rebuilds included.", ["event"], registry=INDEX
)
HANDLER_SECONDS = Counter(
    "gpu_market_indexer_handler_seconds_total", "Time that handlers took.", ["event"], registry=INDEX
)
WRITE_SECONDS = Histogram(
    "gpu_market_indexer_write_seconds", "Time to write and commit what a batch has changed.", registry=INDEX
)
INGEST_SECONDS = Histogram("gpu_market_indexer_ingest_seconds", "Time to ingest one batch.", registry=INDEX)
CONNECTIONS_DROPPED = Counter(
    "gpu_market_api_connections_dropped_total", "Dropped connections, by reason.", ["reason"], registry=API
)
FEED_ENTERED = Counter("gpu_market_api_feed_entered_total", "Clients that began to follow the feed.", registry=API)
FEED_LEFT = Counter(
    "gpu_market_api_feed_left_total", "Clients that ended: those that began less these follow it now.", registry=API
)
FEED_REFUSED = Counter(
    "gpu_market_api_feed_refused_total",
    "Clients that the feed had no room for, by whose room it was.",
    ["room"],
    registry=API,
)
for _room in ("all", "client", "network"):
    FEED_REFUSED.labels(_room)  # told from the start: an alert goes by its growth
WEBHOOK_NOTICES = Counter("gpu_market_api_webhook_notices_total", "Notices made.", ["type"], registry=API)
WEBHOOK_ATTEMPTS = Counter(
    "gpu_market_api_webhook_attempts_total", "Attempts to deliver notices.", ["outcome"], registry=API
)
WEBHOOK_SECONDS = Histogram(
    "gpu_market_api_webhook_seconds",
    "Time from making a notice to its delivery.",
    buckets=(0.5, 1, 2.5, 5, 15, 60, 600, 3_600, 21_600, 86_400),
    registry=API,
)
REQUEST_SECONDS = Histogram(
    "gpu_market_api_request_seconds", "Time to answer a request.", ["route", "status"], registry=API
)
REQUEST_SECONDS.labels("/health", "200")  # as above: nobody may have asked for anything yet
