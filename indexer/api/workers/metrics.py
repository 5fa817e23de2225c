"""Metrics of all processes that answer requests, summed: each is asked when somebody wants to know."""

from __future__ import annotations

import asyncio
from asyncio.subprocess import Process
from collections.abc import Iterable, Sequence

import msgspec
from prometheus_client.core import Metric
from prometheus_client.parser import text_string_to_metric_families
from prometheus_client.registry import Collector

ASK = b"metrics\n"
"""A line that a process answers with its metrics in Prometheus's text format, as a line of JSON."""
ANSWER_SECONDS = 5.0
MOST_BYTES = 16 * 2**20

Labels = tuple[tuple[str, str], ...]


class WorkerMetrics(Collector):
    """Sums of counters and histograms, and of gauges the greatest. Made in the event loop, collected in other threads.

    A process that is late counts as it last told: its counters never go back.
    """

    def __init__(self, processes: Sequence[Process]) -> None:
        self._loop = asyncio.get_running_loop()
        self._processes = processes
        self._told = [""] * len(processes)
        self._asked: asyncio.Task[None] | None = None

    def collect(self) -> Iterable[Metric]:
        """prometheus_client's."""
        # Prometheus asks in a thread of the metrics server's, and pipes belong to the event loop.
        asking = asyncio.run_coroutine_threadsafe(self._ask(), self._loop)
        try:
            asking.result(2 * ANSWER_SECONDS)
        except TimeoutError:
            asking.cancel()
        return summed(self._told)

    async def _ask(self) -> None:
        """Asks all processes; concurrent callers share one scrape."""
        if self._asked is None or self._asked.done():
            self._asked = asyncio.create_task(self._ask_all())
        await asyncio.wait([self._asked], timeout=ANSWER_SECONDS)

    async def _ask_all(self) -> None:
        await asyncio.gather(*map(self._ask_one, range(len(self._processes))), return_exceptions=True)

    async def _ask_one(self, number: int) -> None:
        process = self._processes[number]
        assert process.stdin is not None and process.stdout is not None
        process.stdin.write(ASK)
        line = await process.stdout.readline()
        if line:
            self._told[number] = msgspec.json.decode(line, type=str)


def summed(texts: Iterable[str]) -> Iterable[Metric]:
    """Several processes' metrics, in the text format, as those of one."""
    families: dict[str, Metric] = {}
    values: dict[str, dict[tuple[str, Labels], float]] = {}
    for text in texts:
        for found in text_string_to_metric_families(text):
            families.setdefault(found.name, Metric(found.name, found.documentation, found.type))
            known = values.setdefault(found.name, {})
            for sample in found.samples:
                key = sample.name, tuple(sample.labels.items())
                before = known.get(key, 0.0)
                if found.type == "gauge":
                    known[key] = max(before, sample.value)
                else:
                    known[key] = before + sample.value
    for name, family in families.items():
        for (sample_name, labels), value in values[name].items():
            family.add_sample(sample_name, dict(labels), value)
    return families.values()
