"""`gpu-market indexer`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.pacing import run_until, stop_on_signals
from anchor_client.redaction import redact
from indexer.errors import IndexerError
from indexer.main import serve
from indexer.settings import Settings
from local_market.errors import PortTaken, StartFailed
from market_cli.acting import acting
from market_cli.session import Session


@acting
async def indexer(
    session: Session,
    database: Annotated[
        str | None, typer.Option("--database", help="SQLite or PostgreSQL URL.", show_default="GPU_MARKET_DATABASE_URL")
    ] = None,
    host: Annotated[str | None, typer.Option("--host", help="Address to listen on.", show_default="127.0.0.1")] = None,
    port: Annotated[
        int | None, typer.Option("--port", help="API port.", min=0, max=65_535, show_default="8000")
    ] = None,
    commitment: Annotated[
        str | None, typer.Option("--commitment", help="finalized or confirmed.", show_default="finalized")
    ] = None,
) -> None:
    """Index the market into SQL and serve its API, until Ctrl-C."""

    flags = {"database_url": database, "host": host, "port": port, "commitment": commitment}
    settings = Settings.model_validate(
        {
            **Settings().model_dump(),
            "rpc_url": session.settings.rpc_url,
            "ws_url": session.settings.ws_url,
            "program_id": str(session.settings.program_id),
            **{name: value for name, value in flags.items() if value is not None},
        }
    )
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
