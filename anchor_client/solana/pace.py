"""The pace of slots, as a node has measured it."""

from __future__ import annotations

from anchor_client.solana.node import NodeClient


async def slot_seconds(client: NodeClient) -> float | None:
    """Seconds that a slot took in the node's last minute; None before it has measured one. Raises network errors."""
    samples = await client.get_recent_performance_samples(1)
    if not samples or not samples[0].num_slots:
        return None
    return samples[0].sample_period_secs / samples[0].num_slots
