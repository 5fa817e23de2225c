"""`gpu-market up` on an empty directory: from the start of the process to the first listing that the API serves."""

from __future__ import annotations

import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from statistics import median

import httpx
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_delay, wait_fixed

from benchmarks.figures import Figure, Progress, Report
from benchmarks.load.process import GPU_MARKET, alone, serving
from local_market.stack.ports import LOOPBACK, require_free

STARTS = 3
POLL_SECONDS = 0.01
SERVED_SECONDS = 60
MEGABYTE = 10**6
LISTINGS = "/api/marketplace/listings?available=true"


class NoListingYet(Exception):
    """The API answers, and has no machine to rent."""


@dataclass(frozen=True, slots=True)
class Start:
    """Until a listing was served: seconds of the clock and of the processor; and the bytes held then."""

    seconds: float
    processor_seconds: float
    resident_bytes: int


async def measure(progress: Progress) -> Report:
    """Starts it STARTS times, each in a home and a directory of its own."""
    starts = []
    for start in range(STARTS):
        progress(f"start {start + 1} of {STARTS}")
        with tempfile.TemporaryDirectory() as directory:
            starts.append(await _start(Path(directory)))
    served = [start.seconds for start in starts]
    return Report(
        [
            Figure("process start to first listing served, median", median(served), "s"),
            Figure("the same, slowest", max(served), "s"),
            Figure("processor time until then, median", median(start.processor_seconds for start in starts), "s"),
            Figure("memory of everything, most", max(start.resident_bytes for start in starts) / MEGABYTE, "MB"),
        ]
    )


async def _start(home: Path) -> Start:
    port = require_free(0, "API")
    options = ("up", "--json", "--data", str(home / "market"), "--port", str(port), "--rpc-port", "0")
    begun = time.perf_counter()
    async with serving(*GPU_MARKET, *options, environment=alone(home)) as server:
        await _until_served(f"http://{LOOPBACK}:{port}")
        return Start(time.perf_counter() - begun, server.processor_seconds, server.resident_bytes)


async def _until_served(url: str) -> None:
    async with httpx.AsyncClient(base_url=url) as client:
        async for attempt in AsyncRetrying(
            retry=retry_if_exception_type((NoListingYet, httpx.TransportError)),
            stop=stop_after_delay(SERVED_SECONDS),
            wait=wait_fixed(POLL_SECONDS),
            reraise=True,
        ):
            with attempt:
                answer = (await client.get(LISTINGS)).raise_for_status()
                if not answer.json()["listings"]:
                    raise NoListingYet
