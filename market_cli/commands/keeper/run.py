"""`gpu-market keeper run`."""

from __future__ import annotations

import asyncio
from typing import Annotated

import typer

from anchor_client.service.pacing import background, stop_on_signals
from anchor_client.service.redaction import redact
from anchor_client.service.supervision import Supervisor
from keeper.loop import run_once, run_service
from keeper.settings import KeeperSettings
from market_cli.acting import acting
from market_cli.session import CliSession
from market_cli.structured_logs import narrate


@acting
async def run(
    session: CliSession,
    settings: KeeperSettings,
    once: Annotated[bool, typer.Option("--once", help="Process what is due now, then exit (for cron).")] = False,
) -> None:
    """Finalize due rentals and earn their tips. Anyone may run a keeper; no work is paid twice.

    Cranks are unpaid acts that anyone may do: updating reputations, sweeping fees to stakers and advancing epochs,
    counting votes and executing proposals, settling meters, and refreshing GPU points and reference prices. For a
    Pyth-priced mint, requests use the price update under `price_feeds` in the settings, by default the one sponsored by
    Pyth.

    Keepers with the same --leader-lock take turns: one acts, the others stand by and take over when it stops.

    With --once, exits with 0 if all due work was done, or with 1 if some of it failed.
    """
    _ = session.wallet
    if once:
        summary = await run_once(settings)
    else:
        narrate(session, settings.log_format)
        supervisor = Supervisor.from_environment()
        ready = asyncio.Event()
        stop = stop_on_signals(supervisor.stopping)
        async with background(_announce(session, ready)):
            summary = await run_service(settings, ready=ready, stop=stop, supervisor=supervisor)
    net = summary.earned_lamports - summary.spent_lamports
    done = f"{len(summary.ended)} rentals ended" + (f", {len(summary.cranks)} cranks turned" if settings.cranks else "")
    if summary.stood_by:
        done = f"Another keeper leads; {done}"
    text = f"{done} in {summary.transactions} transactions, {net} lamports earned net."
    session.out.show(summary.as_dict(), text)
    if summary.exit_code:
        raise typer.Exit(summary.exit_code)


async def _announce(session: CliSession, ready: asyncio.Event) -> None:
    await ready.wait()
    wallet = session.wallet.pubkey
    url = redact(session.settings.rpc_url)
    session.out.show(
        {"ready": True, "wallet": str(wallet)}, f"Keeper {wallet} is running against {url}. Ctrl-C stops it."
    )
