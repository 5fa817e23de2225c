"""Ending expired rentals, all of whose parties are distinct, on an embedded cluster in a process of its own.

Timed is a keeper's whole pass: reading the chain, trying and signing the batches, and waiting until they have landed.
"""

from __future__ import annotations

import shutil
import tempfile
import time
from collections import Counter
from pathlib import Path

from solders.keypair import Keypair

from benchmarks.figures import Figure, Progress, Report, at_least
from benchmarks.load.expired import expire
from benchmarks.load.process import serving
from benchmarks.suite import keeper_load, keeper_look
from keeper.loop import run_once
from keeper.names import BatchMode
from keeper.settings import KeeperSettings
from keeper.summary import KeeperSummary

RENTALS = 240
TARGETS = {BatchMode.LEGACY: 3, BatchMode.V1: 8}
"""Rentals in one transaction."""


async def measure(progress: Progress) -> Report:
    """Lets RENTALS rentals expire once, and has keepers end them from the same state in each form of message."""
    with tempfile.TemporaryDirectory() as directory:
        expired = Path(directory) / "expired"
        progress(f"letting {RENTALS} rentals expire")
        wallet = await expire(expired, RENTALS)
        figures: list[Figure] = []
        for mode in TARGETS:
            chain = Path(directory) / mode.value
            shutil.copytree(expired, chain)
            progress(f"ending them in {mode.value} messages")
            figures += await _end(chain, wallet, mode)
    load = await keeper_load.measure(progress)
    looks = await keeper_look.measure(progress)
    return Report([*figures, *load.figures, *looks.figures], load.details)


async def _end(chain: Path, wallet: Keypair, mode: BatchMode) -> list[Figure]:
    async with serving("-m", "localnet", "--json", "--port", "0", "--data", str(chain)) as server:
        settings = KeeperSettings(rpc_url=server.ready["rpc"], keypair=wallet, batch_mode=mode)
        begun = time.perf_counter()
        summary = await run_once(settings)
        seconds = time.perf_counter() - begun
    _require_ended(summary)
    fullest = max(Counter(ended.signature for ended in summary.ended).values())
    return [
        Figure(f"rentals in one transaction, {mode.value}", fullest, "rentals", at_least(TARGETS[mode])),
        Figure(f"rentals ended, {mode.value}", len(summary.ended) / seconds, "/s"),
        Figure(f"transactions, {mode.value}", summary.transactions, "transactions"),
        Figure(f"earned above fees, {mode.value}", summary.earned_lamports - summary.spent_lamports, "lamports"),
    ]


def _require_ended(summary: KeeperSummary) -> None:
    if len(summary.ended) != RENTALS:
        raise keeper_load.RentalsLeft(f"{len(summary.ended)} of {RENTALS} ended: {summary.to_json()}")
