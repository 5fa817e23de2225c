"""`gpu-market up`: the whole market on this machine."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from anchor_client.service.pacing import run_until, stop_on_signals
from local_market.settings import UpSettings
from local_market.stack.layout import Layout
from local_market.stack.slow import said_if_slow
from market_cli.acting import acting
from market_cli.lazy import load
from market_cli.logs import configure_logs
from market_cli.paths import local_market_directory, running_file
from market_cli.session import CliSession

if TYPE_CHECKING:
    from local_market.stack.stack import LocalMarket
    from market_cli.commands.services.own_machine import OwnMachine

OWN_MACHINE = "market_cli.commands.services.own_machine"


@acting
async def up(
    session: CliSession,
    settings: UpSettings,
    reset: Annotated[bool, typer.Option("--reset", help="Delete all state and start with an empty market.")] = False,
) -> None:
    """Run a whole market locally: cluster, 58 simulated machines, price oracle, indexer, API and keeper.

    State is kept in the data directory across restarts, until --reset. Ctrl-C stops everything.
    """
    if settings.docker:
        await load(f"{OWN_MACHINE}:require_engine")()
    layout = Layout((settings.data or local_market_directory()).resolve())
    if reset:
        with layout.owned():
            layout.reset()
    stopping = stop_on_signals()
    session.out.note("Starting [bold]gpu-market[/] …")

    def say(text: str) -> None:
        session.out.note(f"    [dim]{text}[/]")

    with said_if_slow("Loading the services", say):
        from local_market.stack.stack import LocalMarket, Ports  # noqa: PLC0415 - takes long
    configure_logs(verbose=session.flags.verbose)  # of what has been imported only now
    market = LocalMarket(
        layout,
        Ports(settings.rpc_port, settings.port),
        partial(_progress, session),
        slot_ms=settings.slot_ms,
        keeper=settings.keeper,
        own_shell=settings.shell,
        say=say,
    )
    try:
        await run_until(stopping, market.start())
        if not stopping.is_set():
            with market.running.published(running_file()):
                own = None
                if settings.docker:
                    own = load(f"{OWN_MACHINE}:OwnMachine")(session, market.running, layout.own_machine)
                    await run_until(stopping, market.add("machine of this computer", own.serve))
                if not stopping.is_set():
                    _show(session, market, own)
                    await run_until(stopping, market.wait())
                session.out.note("Stopping …")
    finally:
        await market.stop()
    session.out.note("Stopped. The market's state is kept for the next run.")


def _progress(session: CliSession, what: str, where: str) -> None:
    session.out.note(f"  [green]✓[/] {what:<9} {where}")


def _show(session: CliSession, market: LocalMarket, own: OwnMachine | None) -> None:
    document = {"ready": True, **asdict(market.running), "seconds": round(market.started_in, 2)}
    if own is not None:
        document["own_machine"] = str(own.listing)
        _progress(session, "Docker", f"listing {own.listing} is this computer{own.note}")
    session.out.show(
        document,
        f"Ready in {market.started_in:.1f} s. Funded test wallet: {market.running.wallet}",
        "Next, in another terminal: [bold]gpu-market gpus[/], then [bold]gpu-market demo[/]. Ctrl-C stops.",
    )
