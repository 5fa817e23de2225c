"""The embedded cluster with the program, as a process: when it answers, what it holds, how fast it confirms."""

from __future__ import annotations

import time
from statistics import median

from solders.keypair import Keypair

from anchor_client.generated.program import PROGRAM_ID
from anchor_client.solana.node import NodeClient
from benchmarks.figures import Figure, Progress, Report, below
from benchmarks.load.process import serving
from local_market.program import PROGRAM_PATH

STARTS = 3
READY_TARGET = 3
MEMORY_TARGET = 400
MEGABYTE = 10**6
AIRDROPS = 1_000
LAMPORTS = 10**7
ARGUMENTS = ("-m", "localnet", "--json", "--port", "0", "--program", str(PROGRAM_ID), str(PROGRAM_PATH))


async def measure(progress: Progress) -> Report:
    """Starts it STARTS times; the last one runs AIRDROPS transactions, each asked for after the one before."""
    seconds = []
    for start in range(STARTS):
        progress(f"start {start + 1} of {STARTS}")
        begun = time.perf_counter()
        async with serving(*ARGUMENTS) as server, NodeClient(server.ready["rpc"]) as client:
            await client.get_latest_blockhash()
            seconds.append(time.perf_counter() - begun)
            if start + 1 < STARTS:
                continue
            idle = server.resident_bytes
            progress(f"{AIRDROPS} transactions")
            rate = await _airdrop(client)
            busy = server.resident_bytes
    return Report(
        [
            Figure("process start to first answer, median", median(seconds), "s", below(READY_TARGET)),
            Figure("memory when ready", idle / MEGABYTE, "MB", below(MEMORY_TARGET)),
            Figure(f"memory after {AIRDROPS:,} transactions", busy / MEGABYTE, "MB", below(MEMORY_TARGET)),
            Figure("transactions of one client, one after another", rate, "/s"),
        ]
    )


async def _airdrop(client: NodeClient) -> float:
    """Airdrops a second."""
    wallet = Keypair().pubkey()
    begun = time.perf_counter()
    for _ in range(AIRDROPS):
        await client.request_airdrop(wallet, LAMPORTS)
    return AIRDROPS / (time.perf_counter() - begun)
