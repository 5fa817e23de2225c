"""A keeper's Prometheus metrics."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, start_http_server

from keeper.errors import KeeperConfigurationError

BATCH_SIZES = (1, 2, 3, 4, 6, 8, 11, 16, 32)


class KeeperMetrics:
    """Counters and gauges of one keeper, in their own registry."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.ended = Counter("gpu_market_keeper_ended", "Rentals ended", ["task"], registry=self.registry)
        self.skipped = Counter(
            "gpu_market_keeper_skipped",
            "Rentals skipped, once per rental and reason",
            ["reason"],
            registry=self.registry,
        )
        self.failed = Counter(
            "gpu_market_keeper_failed", "Endings that failed and were set aside", ["reason"], registry=self.registry
        )
        self.transactions = Counter(
            "gpu_market_keeper_transactions",
            "Transactions sent, by outcome",
            ["fate"],
            registry=self.registry,
        )
        self.lost_races = Counter(
            "gpu_market_keeper_lost_races", "Rentals that another keeper ended first", registry=self.registry
        )
        self.earned = Counter("gpu_market_keeper_earned_lamports", "Tips earned", registry=self.registry)
        self.spent = Counter(
            "gpu_market_keeper_spent_lamports", "Transaction fees and rent of token accounts", registry=self.registry
        )
        self.pass_failures = Counter(
            "gpu_market_keeper_pass_failures", "Passes that an error cut short", ["error"], registry=self.registry
        )
        self.cranks_done = Counter(
            "gpu_market_keeper_cranks_done", "Crank tasks done", ["crank", "task"], registry=self.registry
        )
        self.cranks_failed = Counter(
            "gpu_market_keeper_cranks_failed",
            "Crank tasks that failed and were set aside",
            ["crank", "reason"],
            registry=self.registry,
        )
        self.due = Gauge("gpu_market_keeper_due", "Rentals due at the last pass", registry=self.registry)
        self.in_flight = Gauge("gpu_market_keeper_in_flight", "Transactions in flight", registry=self.registry)
        self.oldest_overdue = Gauge(
            "gpu_market_keeper_oldest_overdue_seconds",
            "How long the oldest due rental has been due",
            registry=self.registry,
        )
        self.balance = Gauge(
            "gpu_market_keeper_balance_lamports", "Balance of the keeper's wallet", registry=self.registry
        )
        self.batch_size = Histogram(
            "gpu_market_keeper_batch_size", "Rentals in a transaction", buckets=BATCH_SIZES, registry=self.registry
        )


@contextmanager
def serve_metrics(metrics: KeeperMetrics, port: int | None) -> Iterator[None]:
    """Serves the metrics on every interface; nothing without a port. KeeperConfigurationError when it is taken."""
    if port is None:
        yield
        return
    try:
        server, thread = start_http_server(port, registry=metrics.registry)
    except OSError as error:
        raise KeeperConfigurationError(
            f"Metrics cannot be served on port {port}: {error.strerror}", "Choose another port."
        ) from error
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
