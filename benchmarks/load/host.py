"""`python -m benchmarks.load.host`: a host's agent as a process of its own, with machines that run nothing.

Of the environment: node, wallet and API as for `gpu-market host run`, and SEAL_KEY in hex. Says on its first line that
every machine has had a heartbeat; SIGTERM ends it.
"""

from __future__ import annotations

import asyncio
import json
import os
from functools import partial

from anchor_client.market import Market
from anchor_client.orders import SealedOrderApi
from anchor_client.sealing import SealKey
from anchor_client.service.pacing import background, run_until, stop_on_signals
from anchor_client.solana.wallet import Wallet
from host_agent.agent import HostAgent
from host_agent.orders import SealedOrderReader
from local_market.simulated_machine import SimulatedMachine

REGION = "host"
SEAL_KEY = "SEAL_KEY"


async def serve() -> None:
    """Until told to stop."""
    stop = stop_on_signals()
    ready = asyncio.Event()
    rpc, ws, api_url = (os.environ[f"GPU_MARKET_{name}_URL"] for name in ("RPC", "WS", "API"))
    wallet = Wallet.from_environment("GPU_MARKET_KEYPAIR")
    key = SealKey.from_bytes(bytes.fromhex(os.environ[SEAL_KEY]))
    async with SealedOrderApi(api_url) as api, Market.connect(rpc, wallet, ws_url=ws) as market:
        agent = HostAgent(market, ws, partial(SimulatedMachine, REGION), SealedOrderReader(api, key))
        async with background(_announce(ready)):
            await run_until(stop, agent.run(ready))


async def _announce(ready: asyncio.Event) -> None:
    await ready.wait()
    print(json.dumps({"ready": True}), flush=True)


if __name__ == "__main__":
    asyncio.run(serve())
