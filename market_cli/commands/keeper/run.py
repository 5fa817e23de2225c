"""`gpu-market keeper run`."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Any

import typer

from anchor_client.service.pacing import background, stop_on_signals
from anchor_client.service.redaction import redact
from anchor_client.service.supervision import Supervisor
from keeper.loop import run_once, run_service
from keeper.names import BatchMode, CrankName, SourceName
from keeper.settings import KeeperSettings
from market_cli.acting import acting
from market_cli.commands.arguments import LogForm, MetricsPort
from market_cli.session import CliSession
from market_cli.structured_logs import narrate


@acting
async def run(
    session: CliSession,
    once: Annotated[bool, typer.Option("--once", help="Process what is due now, then exit (for cron).")] = False,
    state_dir: Annotated[
        Path | None,
        typer.Option("--state-dir", help="Directory for the journal of transactions in flight.", show_default=False),
    ] = None,
    source: Annotated[
        SourceName | None,
        typer.Option(
            "--source",
            help="Source of due work: the chain, or the index of the API at `api_url`, checked on the chain.",
            show_default="chain",
        ),
    ] = None,
    batch_mode: Annotated[
        BatchMode | None, typer.Option("--batch-mode", help="Message version for endings.", show_default="auto")
    ] = None,
    min_profit: Annotated[
        int | None,
        typer.Option("--min-profit", help="Minimum profit of a transaction, in lamports.", show_default="0"),
    ] = None,
    cranks: Annotated[
        str | None,
        typer.Option(
            "--cranks",
            metavar="NAME,...",
            help=f"Unpaid work to perform as well, at your expense: {', '.join(CrankName)}, or all.",
            show_default="none",
        ),
    ] = None,
    leader_lock: Annotated[
        str | None,
        typer.Option(
            "--leader-lock",
            metavar="URL|FILE",
            help="PostgreSQL database or lock file that lets one of your keepers act at a time.",
            show_default=False,
        ),
    ] = None,
    metrics_port: MetricsPort = None,
    log_format: LogForm = None,
) -> None:
    """Finalize due rentals and earn their tips. Anyone may run a keeper; no work is paid twice.

    Cranks are unpaid acts that anyone may do: updating reputations, sweeping fees to stakers and advancing epochs,
    counting votes and executing proposals, settling meters, and refreshing GPU points and reference prices. For a
    Pyth-priced mint, requests use the price update under `price_feeds` in the settings, by default the one sponsored by
    Pyth.

    Keepers with the same --leader-lock take turns: one acts, the others stand by and take over when it stops.

    With --once, exits with 0 if all due work was done, or with 1 if some of it failed.
    """
    flags: dict[str, Any] = {
        "source": source,
        "api_url": session.settings.api_url,
        "batch_mode": batch_mode,
        "price_feeds": session.settings.price_feeds or None,
        "min_profit_lamports": min_profit,
        "cranks": cranks,
        "state_dir": state_dir,
        "leader_lock": leader_lock,
        "metrics_port": metrics_port,
    }
    settings = KeeperSettings(
        rpc_url=session.settings.rpc_url,
        rpc_rate=session.settings.rpc_rate,
        ws_url=session.settings.ws_url,
        keypair=session.wallet.keypair,
        program_id=session.settings.program_id,
        **{name: value for name, value in flags.items() if value is not None},
    )
    if once:
        summary = await run_once(settings)
    else:
        narrate(session, log_format)
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
