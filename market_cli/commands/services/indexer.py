"""`gpu-market indexer`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.pacing import run_until, stop_on_signals
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
    host: Annotated[str, typer.Option("--host", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option("--port", help="API port.", min=0, max=65_535)] = 8000,
    commitment: Annotated[str, typer.Option("--commitment", help="finalized or confirmed.")] = "finalized",
) -> None:
    """Index the market into SQL and serve its API, until Ctrl-C."""

    chosen = {} if database is None else {"database_url": database}
    settings = Settings.model_validate(
        {
            **Settings().model_dump(),
            **chosen,
            "rpc_url": session.settings.rpc_url,
            "ws_url": session.settings.ws_url,
            "program_id": str(session.settings.program_id),
            "host": host,
            "port": port,
            "commitment": commitment,
        }
    )
    url = f"http://{host}:{port}"

    def announce() -> None:
        document = {"ready": True, "api_url": url, "database_url": settings.database_url}
        session.out.show(document, f"API {url}, documentation {url}/docs. Ctrl-C stops.")

    try:
        await run_until(stop_on_signals(), serve(settings, ready=announce))
    except OSError as error:
        raise PortTaken(f"The API cannot listen at {url}: {error.strerror}") from error
    except IndexerError as error:
        raise StartFailed(f"The indexer has stopped: {error}", error.remedy) from error
