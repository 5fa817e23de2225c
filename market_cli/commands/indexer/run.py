"""`gpu-market indexer run`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from anchor_client.service.pacing import run_until, stop_on_signals
from anchor_client.service.redaction import redact
from anchor_client.service.supervision import Supervisor
from indexer import garbage
from indexer.errors import IndexerError
from indexer.main import serve
from indexer.settings import IndexerSettings
from local_market.errors import PortTaken, StartFailed
from market_cli.acting import acting
from market_cli.session import CliSession
from market_cli.structured_logs import narrate


@acting
async def run(session: CliSession, settings: IndexerSettings) -> None:
    """Index the market into SQL and serve its API, until Ctrl-C."""
    narrate(session, settings.log_format)
    garbage.none_so_far()
    with stopping(settings):
        supervisor = Supervisor.from_environment()
        serving = serve(settings, ready=announcing(session, settings), supervisor=supervisor)
        await run_until(stop_on_signals(supervisor.stopping), serving)


def announcing(session: CliSession, settings: IndexerSettings) -> Callable[[], None]:
    """Prints the API's URL once it listens."""
    url = _url(settings)
    document = {"ready": True, "api_url": url, "database_url": redact(settings.database_url)}
    return lambda: session.out.show(document, f"API {url}, documentation {url}/docs. Ctrl-C stops.")


@contextmanager
def stopping(settings: IndexerSettings) -> Iterator[None]:
    """Converts an error that stops the service into the command's error, with its remedy."""
    try:
        yield
    except OSError as error:
        raise PortTaken(f"The API cannot listen on {_url(settings)}: {error.strerror}") from error
    except IndexerError as error:
        raise StartFailed(f"The indexer has stopped: {error}", error.remedy) from error


def _url(settings: IndexerSettings) -> str:
    return f"http://{settings.host}:{settings.port}"
