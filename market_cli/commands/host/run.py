"""`gpu-market host run`."""

from __future__ import annotations

import asyncio

from anchor_client.amounts import sol, usd
from anchor_client.service.pacing import stop_on_signals
from anchor_client.service.supervision import Supervisor
from host_agent.preparation import ports_of_listings
from host_agent.service import run_service
from host_agent.settings.options import HostOptions
from market_cli.acting import acting
from market_cli.commands.host.operating import agent_settings
from market_cli.session import CliSession
from market_cli.structured_logs import narrate


@acting
async def run(session: CliSession, options: HostOptions) -> None:
    """Serve your listings from this machine: heartbeats, a container per order, and a background job when idle.

    Each order gets its own container, network and SSH password; the image needs no SSH server. Everything is wiped
    when the rental ends, before the next order starts. Requires a Docker engine. Ctrl-C stops the agent; containers
    keep running, and the next `host run` picks them up.
    """
    settings = agent_settings(session, options)
    narrate(session, options.log_format)
    supervisor = Supervisor.from_environment()
    ready = asyncio.Event()
    stop = stop_on_signals(supervisor.stopping)
    serving = asyncio.create_task(run_service(settings, ready=ready, stop=stop, supervisor=supervisor))
    online = asyncio.create_task(ready.wait())
    await asyncio.wait([serving, online], return_when=asyncio.FIRST_COMPLETED)
    online.cancel()
    if not serving.done():
        supervisor.ready()
        reads = session.signing.reads
        allowed = (await reads.market()).offline_after
        pace = await settings.pace.at_market_price(reads)
        listings = max(len(settings.shares), 1)
        lamports = pace.heartbeats_a_day(listings, allowed) * pace.signature_fee
        document = {
            "ready": True,
            "host": str(settings.owner or session.wallet.pubkey),
            "operator": str(session.wallet.pubkey),
            "address": settings.address,
            "first_ports": ports_of_listings(settings, listings),
            "heartbeat_lamports_a_day": str(lamports),
            "sol_usd": pace.sol_usd,
        }
        session.out.show(
            document,
            f"Online at {settings.address}. Heartbeats cost {sol(lamports)} a day ({usd(pace.usd_ceil(lamports))} at "
            f"{usd(pace.sol_usd)} per SOL), settlements about 0.02 % of your earnings. Ctrl-C stops the agent; "
            "`gpu-market host machines` lists containers.",
        )
    await serving
    session.out.note("Stopped. Containers keep running.")
