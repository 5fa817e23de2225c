"""PCIe link and clocks of NVIDIA's GPUs while they work: both are lower at rest, to save power."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

from host_agent.detect.health import ask_gpus
from host_agent.detect.nvidia_smi import whole_number

FIELDS: Final = ("pcie.link.gen.current", "pcie.link.gen.max", "clocks.sm", "clocks.max.sm", "temperature.gpu")
SECONDS: Final = 0.5
"""Time between two looks."""
LEAST_CLOCK_PERCENT: Final = 50
"""Of the highest clock: power limits lower it."""


@dataclass(slots=True)
class GpuLoad:
    """The highest figures seen; 0 where the driver reports none."""

    bus: str
    highest: list[int] = field(default_factory=lambda: [0] * len(FIELDS))

    def take(self, told: Sequence[str]) -> None:
        """Adds the figures of one look."""
        seen = [whole_number(each) or 0 for each in told]
        self.highest = [max(pair) for pair in zip(self.highest, seen, strict=True)]

    @property
    def is_full(self) -> bool:
        """True if its link and its clocks have risen as they should."""
        generation, most_generation, clock, most_clock, _ = self.highest
        return generation >= most_generation and clock * 100 >= most_clock * LEAST_CLOCK_PERCENT

    def __str__(self) -> str:
        generation, most_generation, clock, most_clock, degrees = self.highest
        return f"PCIe {generation}.0 of {most_generation}.0, {clock} of {most_clock} MHz, {degrees} °C"


@asynccontextmanager
async def watched_load(gpus: Sequence[str]) -> AsyncIterator[dict[str, GpuLoad]]:
    """Looks at the GPUs again and again while the context lasts; what was seen, by address."""
    seen: dict[str, GpuLoad] = {}

    async def look() -> None:
        while rows := await ask_gpus(FIELDS, gpus):
            for (_, _, bus), told in rows:
                seen.setdefault(bus, GpuLoad(bus)).take(told)
            await asyncio.sleep(SECONDS)

    looking = asyncio.create_task(look())
    try:
        yield seen
    finally:
        looking.cancel()
        await asyncio.wait([looking])
