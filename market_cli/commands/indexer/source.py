"""`gpu-market indexer source`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.service.pacing import run_until, stop_on_signals
from anchor_client.service.supervision import Supervisor
from indexer.index.publish import publish
from market_cli.acting import acting
from market_cli.commands.indexer.arguments import SourceSettings
from market_cli.commands.indexer.run import stopping
from market_cli.session import CliSession
from market_cli.structured_logs import narrate


@acting
async def source(
    session: CliSession,
    settings: SourceSettings,
    since: Annotated[
        int, typer.Option("--from", metavar="SLOT", help="First slot, where this source has sent nothing yet.", min=0)
    ] = 0,
    until: Annotated[
        int | None,
        typer.Option("--to", metavar="SLOT", help="Last slot; then it ends.", min=0, show_default="until Ctrl-C"),
    ] = None,
) -> None:
    """Write the market's transactions to a Kafka topic, until Ctrl-C. Creates the topic if it is missing.

    Any number may write to one topic, each with its own name. `gpu-market indexer run --source kafka` indexes it.
    """
    narrate(session, settings.log_format)
    with stopping(settings):
        supervisor = Supervisor.from_environment()
        publishing = publish(
            settings,
            first=since,
            last=until,
            ready=lambda: session.out.show({"ready": True}, "Writing to the topic. Ctrl-C stops."),
            supervisor=supervisor,
        )
        await run_until(stop_on_signals(supervisor.stopping), publishing)
