"""Views of a tenancy for browsers, other than a shell: the output of the order's command, and the GPUs' figures."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable, Mapping
from typing import Final

from host_agent.ssh import Inside

LINES: Final = 200
"""Lines of earlier output."""
EVERY_SECONDS: Final = 2.0
FIGURES: Final = "index,name,utilization.gpu,memory.used,memory.total,temperature.gpu,power.draw"
GPU_COMMAND: Final = ("nvidia-smi", f"--query-gpu={FIGURES}", "--format=csv,noheader,nounits")

View = Callable[[Inside], AsyncGenerator[bytes, None]]


def log(inside: Inside) -> AsyncGenerator[bytes, None]:
    """Output of the order's command, and what it prints from now on. MachineFault."""
    return inside.output(follow=True, tail=LINES)


async def gpus(inside: Inside) -> AsyncGenerator[bytes, None]:
    """Figures of all GPUs, each message whole, as FIGURES in CSV; the program's own words if it fails. MachineFault."""
    while True:
        figures = bytearray()
        async with inside.process(GPU_COMMAND) as process:
            process.end_input()
            while (said := await process.read()) is not None:
                figures += said.data
        yield bytes(figures) or b"nvidia-smi prints nothing on this machine\n"
        await asyncio.sleep(EVERY_SECONDS)


VIEWS: Final[Mapping[str, View]] = {"log": log, "gpus": gpus}
