"""`gpu-market indexer run`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.pacing import run_until, stop_on_signals
from anchor_client.redaction import redact
from indexer.errors import IndexerError
from indexer.main import serve
from local_market.errors import PortTaken, StartFailed
from market_cli.acting import acting
from market_cli.commands.indexer.database import Commitment, Database, settings_of
from market_cli.session import Session


@acting
async def run(
    session: Session,
    database: Database = None,
    host: Annotated[str | None, typer.Option("--host", help="Address to listen on.", show_default="127.0.0.1")] = None,
    port: Annotated[
        int | None, typer.Option("--port", help="API port.", min=0, max=65_535, show_default="8000")
    ] = None,
    commitment: Commitment = None,
) -> None:
    """Index the market into SQL and serve its API, until Ctrl-C."""
    settings = settings_of(session, database_url=database, host=host, port=port, commitment=commitment)
    url = f"http://{settings.host}:{settings.port}"

    def announce() -> None:
        document = {"ready": True, "api_url": url, "database_url": redact(settings.database_url)}
        session.out.show(document, f"API {url}, documentation {url}/docs. Ctrl-C stops.")

    try:
        await run_until(stop_on_signals(), serve(settings, ready=announce))
    except OSError as error:
        raise PortTaken(f"The API cannot listen at {url}: {error.strerror}") from error
    except IndexerError as error:
        raise StartFailed(f"The indexer has stopped: {error}", error.remedy) from error
