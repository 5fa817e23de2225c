"""`gpu-market api`."""

from __future__ import annotations

from typing import Annotated

from anchor_client.service.pacing import run_until, stop_on_signals
from anchor_client.service.supervision import Supervisor
from indexer.api.workers.master import answer
from indexer.settings import OF_API, IndexerSettings
from market_cli.acting import acting
from market_cli.commands.indexer.run import announcing, stopping
from market_cli.session import CliSession
from market_cli.structured_logs import narrate


@acting
async def api(session: CliSession, settings: Annotated[IndexerSettings, OF_API]) -> None:
    """Serve the API on the database of a running `gpu-market indexer`, until Ctrl-C."""
    narrate(session, settings.log_format)
    supervisor = Supervisor.from_environment()
    announce = announcing(session, settings)

    def ready() -> None:
        announce()
        supervisor.ready()

    with stopping(settings):
        await run_until(stop_on_signals(supervisor.stopping), answer(settings, ready=ready))
