"""The part of the keeper's benchmark with thousands of rentals due at once, and keepers that race without a preflight.

The embedded cluster runs in a process of its own. Timed is a keeper's whole run, from its first look at the chain until
it has seen everything land; making its lookup table is part of that, but the table's fee and rent are not in the
lamports per ending.
"""

from __future__ import annotations

import asyncio
import shutil
import tempfile
import time
from pathlib import Path
from typing import Any

import pytest
from solders.keypair import Keypair

from anchor_client.solana.node import NodeClient
from benchmarks.figures import Figure, Progress, Report, Row, at_most
from benchmarks.load.expired import expire
from benchmarks.load.process import serving
from keeper.loop import run_once
from keeper.names import BatchMode
from keeper.settings import KeeperSettings
from keeper.summary import KeeperSummary
from tests.keeper.test_races import send_at_once

RENTALS = 5_000
SECONDS_TARGET = 60
RACED = 240
RACERS = (2, 5)
LAMPORTS = 10**9
MODES: dict[str, dict[str, Any]] = {
    "v1": {"batch_mode": BatchMode.V1},
    "v0 + table": {"batch_mode": BatchMode.V0, "lookup_table": "auto"},
}


class RentalsLeft(RuntimeError):
    """Keepers did not end everything that was due."""


async def measure(progress: Progress) -> Report:
    """One keeper for RENTALS in each form of message, then RACERS for RACED."""
    figures: list[Figure] = []
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as directory:
        folder = Path(directory)
        progress(f"letting {RENTALS:,} rentals expire")
        wallet = await expire(folder / "many", RENTALS)
        for name, messages in MODES.items():
            progress(f"ending them in {name} messages")
            given = {**messages, "state_dir": folder / name}
            seconds, [summary] = await _end(folder / "many", [wallet], RENTALS, **given)
            figures.append(Figure(f"{RENTALS:,} rentals ended, {name}", seconds, "s", at_most(SECONDS_TARGET)))
            rows.append(_row(f"one keeper, {name}", RENTALS, seconds, [summary]))
        progress(f"letting {RACED} rentals expire")
        await expire(folder / "raced", RACED)
        for keepers in RACERS:
            progress(f"{keepers} keepers race for them")
            wallets = [Keypair() for _ in range(keepers)]
            with pytest.MonkeyPatch.context() as unchecked:
                send_at_once(unchecked, keepers)
                seconds, summaries = await _end(folder / "raced", wallets, RACED)
            lost = sum(summary.lost_lamports for summary in summaries)
            figures.append(Figure(f"lost by {keepers} keepers that race for {RACED}", lost, "lamports"))
            rows.append(_row(f"{keepers} keepers, v1, no preflight", RACED, seconds, summaries))
    return Report(figures, rows)


async def _end(chain: Path, wallets: list[Keypair], due: int, **given: Any) -> tuple[float, list[KeeperSummary]]:
    """Seconds and summaries of keepers on a copy of the chain."""
    with tempfile.TemporaryDirectory() as directory:
        copy = Path(directory) / "chain"
        shutil.copytree(chain, copy)
        async with serving("-m", "localnet", "--json", "--port", "0", "--data", str(copy)) as server:
            url = server.ready["rpc"]
            async with NodeClient(url) as client:
                for wallet in wallets:
                    await client.request_airdrop(wallet.pubkey(), LAMPORTS)
            begun = time.perf_counter()
            keepers = (run_once(KeeperSettings(rpc_url=url, keypair=wallet, **given)) for wallet in wallets)
            summaries = await asyncio.gather(*keepers)
            seconds = time.perf_counter() - begun
    ended = sum(len(summary.ended) for summary in summaries)
    if ended != due:
        raise RentalsLeft(f"{ended} of {due} ended")
    return seconds, summaries


def _row(who: str, due: int, seconds: float, summaries: list[KeeperSummary]) -> Row:
    spent = sum(summary.spent_lamports for summary in summaries)
    return {
        "keepers": who,
        "rentals": due,
        "s": round(seconds, 1),
        "sent": sum(summary.transactions for summary in summaries),
        "lamports each": round(spent / due),
        "lost": sum(summary.lost_lamports for summary in summaries),
    }
