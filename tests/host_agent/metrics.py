"""Metrics of a host's agent, as a test reads them."""

from __future__ import annotations

from host_agent.metrics import NAMESPACE, HostMetrics


def metric_of(metrics: HostMetrics, name: str) -> float:
    """A metric without labels."""
    value = metrics.registry.get_sample_value(f"{NAMESPACE}_{name}")
    assert value is not None, name
    return value
