"""`gpu-market keeper`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated

import typer

from anchor_client.pacing import stop_on_signals
from keeper.loop import run_once, run_service
from keeper.names import BatchMode, CrankName, cranks_named
from keeper.settings import KeeperSettings
from market_cli.acting import acting
from market_cli.session import Session


@acting
async def keeper(
    session: Session,
    once: Annotated[bool, typer.Option("--once", help="Process what is due now, then exit (for cron).")] = False,
    state_dir: Annotated[
        Path | None,
        typer.Option("--state-dir", help="Directory for the journal of transactions in flight.", show_default=False),
    ] = None,
    batch_mode: Annotated[
        BatchMode, typer.Option("--batch-mode", help="Kind of message to pack into.")
    ] = BatchMode.AUTO,
    min_profit: Annotated[int, typer.Option("--min-profit", help="Minimum profit of a transaction, in lamports.")] = 0,
    cranks: Annotated[
        str,
        typer.Option(
            "--cranks",
            metavar="NAME,...",
            help=f"Unpaid work to do as well, at your expense: {', '.join(CrankName)}, or all.",
            show_default="none",
        ),
    ] = "",
    metrics_port: Annotated[
        int | None,
        typer.Option("--metrics-port", help="Port for Prometheus metrics.", min=0, max=65_535, show_default=False),
    ] = None,
) -> None:
    """Finalize due rentals and earn their tips. Anyone may run one; keepers never pay twice for the same work.

    Cranks are unpaid acts that anyone may do: updating reputations, sweeping fees to stakers and advancing epochs,
    counting votes and executing proposals, settling meters, and refreshing GPU points. Requests in a mint priced by
    Pyth bring the price update named under `price_feeds` in the configuration, by default the one Pyth sponsors.

    With --once, exits with 0 if all due work was done, or with 1 if some of it failed.
    """
    chosen = cranks_named(cranks)
    settings = KeeperSettings(
        rpc_url=session.settings.rpc_url,
        ws_url=session.settings.ws_url,
        keypair=session.wallet.keypair,
        program_id=session.settings.program_id,
        batch_mode=batch_mode,
        price_feeds=session.settings.price_feeds,
        min_profit_lamports=min_profit,
        cranks=chosen,
        state_dir=state_dir,
        metrics_port=metrics_port,
    )
    if once:
        summary = await run_once(settings)
    else:
        ready, stop = asyncio.Event(), stop_on_signals()
        session.out.note(f"Keeper {session.wallet.pubkey} is running against {settings.rpc_url}. Ctrl-C stops it.")
        summary = await run_service(settings, ready=ready, stop=stop)
    net = summary.earned_lamports - summary.spent_lamports
    done = f"{len(summary.ended)} rentals ended" + (f", {len(summary.cranks)} cranks turned" if chosen else "")
    text = f"{done} in {summary.transactions} transactions, {net} lamports earned net."
    session.out.show(summary.as_dict(), text)
    if summary.exit_code:
        raise typer.Exit(summary.exit_code)
