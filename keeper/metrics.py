"""A keeper's Prometheus metrics."""

from __future__ import annotations

from functools import partial

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram

from anchor_client.solana.json_rpc.metrics import NodeMetrics
from keeper.leader import Role

NAMESPACE = "gpu_market_keeper"
BATCH_SIZES = (1, 2, 3, 4, 6, 8, 11, 16, 32)


class KeeperMetrics:
    """Counters and gauges of one keeper, in their own registry."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.nodes = NodeMetrics()
        self.registry.register(self.nodes)
        counter = partial(Counter, namespace=NAMESPACE, registry=self.registry)
        gauge = partial(Gauge, namespace=NAMESPACE, registry=self.registry)
        self.ended = counter("ended", "Rentals ended", ["task"])
        self.skipped = counter("skipped", "Rentals skipped, once per rental and reason", ["reason"])
        self.failed = counter("failed", "Endings that failed and were set aside", ["reason"])
        self.transactions = counter("transactions", "Transactions sent, by outcome", ["fate"])
        self.lost_races = counter("lost_races", "Rentals that another keeper ended first")
        self.lost = counter("lost_lamports", "Fees of transactions that failed on chain, part of what was spent")
        self.earned = counter("earned_lamports", "Tips earned")
        self.spent = counter("spent_lamports", "Transaction fees and rent of token accounts")
        self.pass_failures = counter("pass_failures", "Passes that an error cut short", ["error"])
        self.cranks_done = counter("cranks_done", "Crank tasks done", ["crank", "task"])
        self.cranks_failed = counter("cranks_failed", "Crank tasks that failed and were set aside", ["crank", "reason"])
        self.role = gauge("role", "1 for the role that the leader lock gives this keeper, else 0", ["role"])
        for role in Role:
            self.role.labels(role)  # told from the start: its absence is an alert
        self.taken_first = counter("taken_first", "Due rentals that another keeper ended before this one sent anything")
        self.waiting_turn = gauge("waiting_turn", "Due rentals at the last pass that wait for this keeper's turn")
        self.due = gauge("due", "Rentals due at the last pass")
        self.balance = gauge("balance_lamports", "Lamports of the keeper's wallet at the last pass")
        self.last_pass = gauge("last_pass_timestamp_seconds", "End of the last successful pass, unix seconds")
        self.spent_today = gauge("spent_today_lamports", "Maximum cost of this UTC day's transactions, lamports")
        self.budget_left = gauge("budget_left_lamports", "Lamports left of the day's budget; 0 without a budget")
        self.budget_spent = gauge("budget_spent", "1 while due work waits for the next day's budget")
        self.in_flight = gauge("in_flight", "Transactions in flight")
        self.oldest_overdue = gauge("oldest_overdue_seconds", "Age of the oldest due rental, seconds")
        self.index_trusted = gauge("index_trusted", "1 while an index names candidates, 0 while the chain is scanned")
        self.index_failures = counter("index_failures", "Passes without a reliable index", ["reason"])
        self.batch_size = Histogram(
            "batch_size", "Rentals in a transaction", buckets=BATCH_SIZES, namespace=NAMESPACE, registry=self.registry
        )
