"""`gpu-market up`: the whole market on this machine."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from anchor_client.service.pacing import run_until, stop_on_signals
from local_market.stack.layout import Layout
from local_market.stack.slow import said_if_slow
from market_cli.acting import acting
from market_cli.logs import configure_logs
from market_cli.paths import local_market_directory, running_file
from market_cli.session import CliSession

Data = Annotated[
    Path | None,
    typer.Option(
        "--data", help="Directory for chain, index and keys.", show_default="~/.local/share/gpu-market/localnet"
    ),
]


@acting
async def up(
    session: CliSession,
    data: Data = None,
    reset: Annotated[bool, typer.Option("--reset", help="Delete all state and start with an empty market.")] = False,
    port: Annotated[int, typer.Option("--port", help="API port; 0 picks a free one.", min=0, max=65_535)] = 8000,
    rpc_port: Annotated[
        int,
        typer.Option("--rpc-port", help="RPC port; PubSub uses the next one. 0 picks a free pair.", min=0, max=65_534),
    ] = 8899,
    slot_ms: Annotated[
        int, typer.Option("--slot-ms", help="Length of the cluster's slots in milliseconds.", min=50, max=10_000)
    ] = 400,
    no_keeper: Annotated[
        bool, typer.Option("--no-keeper", help="Start without a keeper: due rentals stay open until you run one.")
    ] = False,
) -> None:
    """Run a whole market locally: cluster, 58 simulated machines, price oracle, indexer, API and keeper.

    State is kept in the data directory across restarts, until --reset. Ctrl-C stops everything.
    """

    layout = Layout((data or local_market_directory()).expanduser().resolve())
    if reset:
        with layout.owned():
            layout.reset()
    stopping = stop_on_signals()
    session.out.note("Starting [bold]gpu-market[/] …")

    def progress(what: str, where: str) -> None:
        session.out.note(f"  [green]✓[/] {what:<9} {where}")

    def say(text: str) -> None:
        session.out.note(f"    [dim]{text}[/]")

    with said_if_slow("Loading the services", say):
        from local_market.stack.stack import LocalMarket, Ports  # noqa: PLC0415 - takes long
    configure_logs(verbose=session.flags.verbose)  # of what has been imported only now
    market = LocalMarket(layout, Ports(rpc_port, port), progress, slot_ms=slot_ms, keeper=not no_keeper, say=say)
    try:
        await run_until(stopping, market.start())
        if not stopping.is_set():
            with market.running.published(running_file()):
                document = {"ready": True, **asdict(market.running), "seconds": round(market.started_in, 2)}
                session.out.show(
                    document,
                    f"Ready in {market.started_in:.1f} s. Funded test wallet: {market.running.wallet}",
                    "Next, in another terminal: [bold]gpu-market gpus[/], then [bold]gpu-market demo[/]. Ctrl-C stops.",
                )
                await run_until(stopping, market.wait())
                session.out.note("Stopping …")
    finally:
        await market.stop()
    session.out.note("Stopped. The market's state is kept for the next run.")
