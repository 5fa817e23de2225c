"""Prometheus metrics of each node. Labels show only the name and port of its URL."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import accumulate

from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector
from prometheus_client.utils import floatToGoString

from anchor_client.solana.json_rpc.endpoint import BUCKETS, NodeEndpoint

LABELS = ["client", "node"]


class NodeMetrics(Collector):
    """Collects the nodes of the clients that are being watched."""

    def __init__(self) -> None:
        self._watched: list[tuple[str, Sequence[NodeEndpoint]]] = []

    @contextmanager
    def watching(self, client: str, nodes: Sequence[NodeEndpoint]) -> Iterator[None]:
        """Publishes metrics of a client's nodes until the context is left."""
        entry = client, nodes
        self._watched.append(entry)
        try:
            yield
        finally:
            self._watched.remove(entry)

    def collect(self) -> Iterable[Metric]:
        """prometheus_client's."""
        requests = CounterMetricFamily("gpu_market_rpc_requests", "Calls made.", labels=LABELS)
        errors = CounterMetricFamily(
            "gpu_market_rpc_errors", "Failed calls, by kind of failure.", labels=[*LABELS, "kind"]
        )
        hedges = CounterMetricFamily(
            "gpu_market_rpc_hedges", "Calls made because another node, or the only one, was slow.", labels=LABELS
        )
        seconds = HistogramMetricFamily("gpu_market_rpc_seconds", "Time to answer a call.", labels=LABELS)
        lag = GaugeMetricFamily("gpu_market_rpc_slot_lag", "Slots behind the others at the last vote.", labels=LABELS)
        resting = GaugeMetricFamily(
            "gpu_market_rpc_resting_seconds", "Seconds left of the pause that it asked for.", labels=LABELS
        )
        doubted = GaugeMetricFamily("gpu_market_rpc_doubted", "1 while other nodes are preferred.", labels=LABELS)
        for client, nodes in self._watched:
            for node in nodes:
                names = [client, node.host]
                counts = node.counts
                requests.add_metric(names, counts.requests)
                hedges.add_metric(names, counts.hedges)
                for kind, number in counts.errors.items():
                    errors.add_metric([*names, kind], number)
                bounds = [*map(floatToGoString, BUCKETS), "+Inf"]
                buckets = list(zip(bounds, accumulate(counts.buckets), strict=True))
                seconds.add_metric(names, buckets, counts.seconds)
                lag.add_metric(names, node.lag)
                resting.add_metric(names, node.rest_left)
                doubted.add_metric(names, node.is_doubted)
        return [requests, errors, hedges, seconds, lag, resting, doubted]
