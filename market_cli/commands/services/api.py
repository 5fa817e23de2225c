"""`gpu-market api`."""

from __future__ import annotations

from anchor_client.service.pacing import run_until, stop_on_signals
from anchor_client.service.supervision import Supervisor
from indexer.api.workers.master import answer
from market_cli.acting import acting
from market_cli.commands.arguments import LogForm, MetricsPort
from market_cli.commands.indexer.arguments import Database, Host, Port, Workers
from market_cli.commands.indexer.database import settings_of
from market_cli.commands.indexer.run import announcing, stopping
from market_cli.session import CliSession
from market_cli.structured_logs import narrate


@acting
async def api(
    session: CliSession,
    database: Database = None,
    host: Host = None,
    port: Port = None,
    workers: Workers = None,
    metrics_port: MetricsPort = None,
    log_format: LogForm = None,
) -> None:
    """Serve the API on the database of a running `gpu-market indexer`, until Ctrl-C."""
    settings = settings_of(
        session, database_url=database, host=host, port=port, workers=workers, metrics_port=metrics_port
    )
    narrate(session, log_format)
    supervisor = Supervisor.from_environment()
    announce = announcing(session, settings)

    def ready() -> None:
        announce()
        supervisor.ready()

    with stopping(settings):
        await run_until(stop_on_signals(supervisor.stopping), answer(settings, ready=ready))
