"""Bounds and small pools that no table of docs/security.md has, and why none is shared with strangers."""

from __future__ import annotations

from typing import Final

SIZED_ELSEWHERE: Final = {
    "host_agent.docker.fetch_turns:Lock": "host_agent.docker.fetch_turns.ALONE_SECONDS",
    "indexer.api.actions.faucet:Lock": "indexer.api.actions.faucet.MOST_WAITING",
    "indexer.api.feed.admission:Shares": "feed_clients",
    "indexer.api.feed.replays:Lock": "indexer.store.transactions.REPLAYERS",
    "indexer.api.feed.subscriber:deque": "indexer.api.feed.subscriber.MOST_QUEUED_BYTES",
    "indexer.api.feed.turns:Lock": "indexer.api.feed.replays.PAGE",
    "indexer.api.http.compact:run_in_executor": "indexer.api.http.compact.COMPRESSORS",
    "anchor_client.service.name_lookup:Thread": "webhook_concurrency",
    "indexer.api.webhooks.lanes:Shares": "webhook_concurrency",
    "indexer.index.sources.history:Semaphore": "concurrency",
    "indexer.store.transactions:NetworkTurns": "indexer.store.transactions.READERS",
    "indexer.store.transactions:ThreadPoolExecutor": "indexer.store.transactions.READERS",
    "indexer.store.turns:deque": "indexer.store.transactions.READERS",
    "keeper.cranks:Semaphore": "max_in_flight",
    "keeper.dispatch:Semaphore": "max_in_flight",
}
"""Sizes in the tables that bound what has no constant of its own in the code."""
REASONS: Final = {
    "the most that one request, answer, message, document or entity has": """
        anchor_client.service.text_file.MOST_BYTES
        anchor_client.solana.http.connection.MOST_BYTES
        anchor_client.solana.json_rpc.batch.MOST_CALLS
        anchor_client.solana.rpc.MAX_ACCOUNTS_PER_REQUEST
        host_agent.detect.nvidia_smi.MOST_DIGITS
        host_agent.docker.account_files.MOST_BYTES
        host_agent.docker.fetch_guard.MOST_GROWTH
        host_agent.docker.shell.MOST_DIGITS
        host_agent.docker.terminal.MOST_FIRST
        host_agent.gateway.documents.MOST_BYTES
        host_agent.gateway.start.MOST_DESCRIPTORS
        host_agent.images.registry.MOST_BYTES
        host_agent.images.registry.MOST_REDIRECTS
        host_agent.images.rules.MOST_SETTINGS_CHARACTERS
        host_agent.images.rules.MOST_VARIABLES
        host_agent.images.rules.MOST_VOLUMES
        host_agent.settings.machine.MOST_TOLD_BYTES
        host_agent.ssh.output.MOST_DIGITS
        host_agent.web.terminal.MOST_BYTES
        host_agent.web.terminal.MOST_REASON
        indexer.accounts.deliveries.MOST_ERROR
        indexer.api.kept.answers.LARGEST
        indexer.api.routes.auth.sign_in.MAX_MESSAGE
        indexer.api.routes.series.asks.MOST_PRICES
        indexer.api.routes.transactions.MOST_TEXT
        indexer.api.routes.webhooks.endpoints.MOST_THRESHOLDS
        indexer.api.routes.webhooks.endpoints.MOST_TOPICS
        indexer.api.routes.webhooks.endpoints.MOST_URL
        indexer.api.series.MOST_POINTS
        indexer.api.webhooks.sending.MOST_ANSWER_BYTES
        indexer.api.webhooks.timed.MOST_NAMED
        indexer.api.workers.metrics.MOST_BYTES
        indexer.api.workers.worker.MOST_MESSAGE_BYTES
        indexer.changes.writer.MOST_WORDS
        indexer.index.sources.head.MAX_ACCOUNTS
        indexer.index.sources.kafka.group.MOST_READ
    """,
    "a renter's own, in a tenancy of theirs": """
        host_agent.docker.shell:deque
        host_agent.ssh.file_shell.MOST_ANSWERED
        host_agent.ssh.forwarding.MOST_FORWARDED
        host_agent.ssh.forwarding.MOST_SAID
        host_agent.ssh.sftp.MOST_OPEN
    """,
    "the chain's or the program's": """
        anchor_client.solana.node.MOST_PER_SIGNATURE
        anchor_client.solana.program_metadata.MAX_GROWTH
        anchor_client.solana.transactions.fees.MAX_PRIORITY_FEE
        anchor_client.solana.transactions.fees.MAX_QUERIED_ACCOUNTS
        anchor_client.solana.transactions.message.MAX_ACCOUNTS
        anchor_client.solana.transactions.message.MAX_COMPUTE_UNITS
        anchor_client.solana.transactions.message.MAX_LOADED_BYTES
        indexer.index.sources.grpc.blocks.MOST_INDEX
        indexer.index.sources.grpc.blocks.MOST_SLOTS
        indexer.index.sources.history.MAX_VERSION
        indexer.index.sources.kafka.messages.MOST_INDEX
        indexer.index.sources.kafka.messages.MOST_SLOTS
        indexer.index.transaction.MOST_HEIGHT
        keeper.packing.MAX_ACCOUNT_LOCKS
        max_priority_fee
    """,
    "a time, a distance or a number of tries": """
        anchor_client.service.backoff._MOST_DOUBLINGS
        index_max_lag_seconds
        indexer.api.feed.feed.MOST_BEHIND
        indexer.api.identity.standings.KEPT_SECONDS
        indexer.api.routes.figures.MOST_SECONDS
        indexer.api.routes.nodes.MAX_AGE
        indexer.api.routes.sealed_orders.MAX_CLOCK_SECONDS
        indexer.api.webhooks.sending.MOST_RETRY_AFTER
        indexer.index.proof.gaps.MAX_ATTEMPTS
        indexer.index.shadows.MOST_WAIT_MS
        indexer.index.sources.grpc.source.MOST_BEHIND
        indexer.store.database.BUSY_SECONDS
        keeper.cranks.MAX_PASSES
        keeper.loop.MAX_PASSES
        max_backoff_seconds
        max_interval_seconds
        max_lag
    """,
    "a process's own work, which no stranger adds to": """
        anchor_client.solana.json_rpc.endpoint.SAMPLES
        host_agent.detect.benchmark.MOST_BLOCKS
        host_agent.detect.benchmark:ThreadPoolExecutor
        host_agent.docker.disk_use:Lock
        anchor_client.service.monitoring:Thread
        host_agent.log_file.MOST_BYTES
        indexer.api.documentation:in_thread
        indexer.api.workers.master:in_thread
        indexer.api.workers.worker:to_thread
        indexer.changes.reader:Thread
        indexer.changes.reader:deque
        indexer.index.projector:ThreadPoolExecutor
        indexer.settings.MOST_NAME
        keeper.journal:ThreadPoolExecutor
    """,
    "results that are soon made again": """
        anchor_client.service.shares.KNOWN_ADDRESSES
        indexer.api.http.compact:lru_cache
        indexer.api.http.connections.KNOWN_ADDRESSES
        indexer.index.handlers.ledger:lru_cache
        indexer.index.sources.grpc.blocks:lru_cache
        indexer.store.lookups:lru_cache
        indexer.store.statements:lru_cache
    """,
    "a number of processes, each with the pools of the tables": "workers",
    "a name of something else": """
        anchor_client.solana.answer_cache.KEPT_METHODS
        anchor_client.solana.http.address._KEPT
        host_agent.images.gpu_requirements.KNOWN_CAPABILITIES
        indexer.api.http.strict.EVERYWHERE
        indexer.api.routes.books.listing_prices.KNOWN
    """,
}
NOT_SHARED: Final = {name: reason for reason, names in REASONS.items() for name in names.split()}
