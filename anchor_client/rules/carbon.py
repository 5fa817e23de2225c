"""Grams of CO2 that rentals come to: the power of their GPUs, for as long as they ran, on their region's electricity.

Assumed: GPUs draw their TDP all the time, and the rest of the machine and the building adds PUE_BPS of it. Figures per
model and region are the catalog's.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from anchor_client.generated.constants import BPS
from anchor_client.rules.catalog import GPU_BY_ID, REGION_BY_ID

UTILISATION_BPS: Final = 10_000
"""Share of the TDP that a rented GPU draws: all of it, so that figures are upper bounds."""
PUE_BPS: Final = 15_600
"""Power usage effectiveness: energy that a data centre draws per unit drawn by its machines, on average 1.56."""
WATT_SECONDS_PER_KWH: Final = 3_600_000


def grams_ceil(uses: Iterable[tuple[int, int, int]]) -> int:
    """Grams of CO2 of GPU-seconds by model and region, rounded up once; zero for unknown models and regions."""
    weighed = sum(
        GPU_BY_ID[model].tdp_watts * REGION_BY_ID[region].grid_grams_per_kwh * gpu_seconds
        for model, region, gpu_seconds in uses
        if model in GPU_BY_ID and region in REGION_BY_ID
    )
    return -(-weighed * UTILISATION_BPS * PUE_BPS // (WATT_SECONDS_PER_KWH * BPS * BPS))
