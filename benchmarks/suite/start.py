"""The command line's start: the processor time until a command shows its help, fails to reach its market, or has
rented a machine.

The unit is that of `import typer, rich.console`, without which there is no command line, so that figures of unlike
machines can be compared.
"""

from __future__ import annotations

import asyncio
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from solders.keypair import Keypair

from benchmarks.figures import Figure, Progress, Report, at_most
from benchmarks.load.process import GPU_MARKET, ROOT, alone, serving
from market_cli.exit_codes import FAILED

RUNS = 5
UNIT = ("-c", "import typer, rich.console")
NOWHERE = "http://127.0.0.1:9"
JOB = "8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR8"
HELPS = (
    "--help",
    "rent --help",
    "jobs --help",
    "template --help",
    "request open --help",
    "host run --help",
    "keeper run --help",
    "api --help",
)
COMMANDS = (
    "rent --gpu nvidia-h100-sxm5-80gb --duration 1h",
    "jobs",
    "gpus",
    "listings",
    "job @last",
    f"stop {JOB}",
)
RENT = "rent --gpu nvidia-h100-pcie-80gb --duration 3h --pay GPUM"
STOP = "stop @last"
COMPLETED = "gpu-market rent --gpu "


async def measure(progress: Progress) -> Report:
    """The best of RUNS of each, in a home of its own."""
    with tempfile.TemporaryDirectory() as directory:
        environment = _settings(Path(directory))
        progress("the unit")
        unit = await _best(UNIT, environment)
        times = {}
        for line, code in [*((line, 0) for line in HELPS), *((line, FAILED) for line in COMMANDS)]:
            progress(line)
            times[line] = await _best((*GPU_MARKET, *line.split()), environment, code) / unit
        progress(COMPLETED)
        times[COMPLETED] = await _best(GPU_MARKET, environment | _completing(COMPLETED)) / unit
    progress(RENT)
    with tempfile.TemporaryDirectory() as directory:
        times |= {line: taken / unit for line, taken in (await _renting(Path(directory))).items()}
    return Report(
        [
            Figure("help, most", max(times[line] for line in HELPS), "units", at_most(2.5)),
            Figure(
                "a command that its market does not answer, most",
                max(times[line] for line in COMMANDS),
                "units",
                at_most(3.5),
            ),
            Figure(
                "renting and stopping at a market that answers, most",
                max(times[RENT], times[STOP]),
                "units",
                at_most(3.5),
            ),
            Figure("completion of a model", times[COMPLETED], "units", at_most(3)),
            Figure("the unit: processor time of `import typer, rich.console`", unit, "s"),
        ],
        [{"command": line, "units": taken} for line, taken in times.items()],
    )


def _settings(home: Path) -> dict[str, str]:
    """A wallet, and a market that nobody serves."""
    key = home / "key.json"
    key.write_text(Keypair().to_json())
    key.chmod(0o600)
    market = {"GPU_MARKET_RPC_URL": NOWHERE, "GPU_MARKET_API_URL": NOWHERE, "GPU_MARKET_KEYPAIR": str(key)}
    return os.environ | alone(home) | market


def _completing(line: str) -> dict[str, str]:
    """Variables that bash sets for the last word of a line."""
    return {"_GPU_MARKET_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(line.count(" "))}


async def _renting(home: Path) -> Mapping[str, float]:
    """The best of RUNS rentals and of their ends, on a local market of their own."""
    options = ("up", "--json", "--data", str(home / "market"), "--port", "0", "--rpc-port", "0")
    async with serving(*GPU_MARKET, *options, environment=alone(home)):
        taken = [
            [
                await asyncio.to_thread(_processor_seconds, (*GPU_MARKET, *line.split()), os.environ | alone(home), 0)
                for line in (RENT, STOP)
            ]
            for _ in range(RUNS)
        ]
    return dict(zip((RENT, STOP), map(min, zip(*taken, strict=True)), strict=True))


async def _best(arguments: Sequence[str], environment: Mapping[str, str], code: int = 0) -> float:
    return min([await asyncio.to_thread(_processor_seconds, arguments, environment, code) for _ in range(RUNS)])


def _processor_seconds(arguments: Sequence[str], environment: Mapping[str, str], code: int) -> float:
    """Of a process that ends with a code, from its start; nothing else of the benchmarks runs meanwhile."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run(
        [sys.executable, *arguments],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if ended.returncode != code:
        raise RuntimeError(f"{' '.join(arguments)} ended with {ended.returncode}: {ended.stderr.decode()}")
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
