"""Metrics that each service tells Prometheus, by the job under which it is read."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from prometheus_client import REGISTRY
from prometheus_client.core import Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector

from anchor_client.doctor.finding import Finding, Level
from anchor_client.oracle.poster import OracleMetrics
from anchor_client.oracle.sources import Source
from anchor_client.service.disk import DiskMetrics
from anchor_client.solana.json_rpc.client import JsonRpc
from indexer.index.lag import Lag
from indexer.metrics import API, API_NODES, INDEX, INDEX_NODES
from indexer.status import Status
from keeper.metrics import KeeperMetrics
from market_cli.commands.deploy.findings import write_metrics

SUFFIXES = {"counter": ("_total",), "histogram": ("_bucket", "_count", "_sum"), "gauge": ("",)}
NODES = JsonRpc("http://127.0.0.1:8899").endpoints
FINDINGS = [
    Finding("prices", Level.OK, "All are fresh."),
    Finding("certificate", Level.OK, "It is valid.", expires_at=2_000_000_000),
]


def names_of(families: Iterable[Metric]) -> set[str]:
    """The names of samples, also of metrics without any yet."""
    return {family.name + suffix for family in families for suffix in SUFFIXES.get(family.type, ())}


def families(folder: Path) -> dict[str, list[Metric]]:
    """All metrics of each service, as it has them when it has just begun."""
    keeper, oracle = KeeperMetrics(), OracleMetrics([Source.parse("fixed:0.05")])
    index: Sequence[Collector] = [INDEX, Lag(Status(), lambda: 0), API, DiskMetrics(folder), REGISTRY]
    write_metrics(folder / "doctor.prom", FINDINGS)
    with INDEX_NODES.watching("index", NODES), API_NODES.watching("api", NODES), keeper.nodes.watching("keeper", NODES):
        told: dict[str, Sequence[Collector]] = {
            "gpu-market-indexer": index,
            "gpu-market-api": [API, REGISTRY],
            "gpu-market-keeper": [keeper.registry, DiskMetrics(folder)],
            "gpu-market-oracle": [oracle.registry],
            "gpu-market-source": [INDEX_NODES],  # its other metrics are of an index, and it keeps none
        }
        found = {job: [family for each in collectors for family in each.collect()] for job, collectors in told.items()}
    doctor = text_string_to_metric_families((folder / "doctor.prom").read_text())
    return {**found, "gpu-market-doctor": list(doctor)}
