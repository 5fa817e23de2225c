"""Failed attempts at the chain and the topic, counted and logged."""

from __future__ import annotations

from typing import Final

import structlog
from sqlalchemy.exc import DBAPIError

from anchor_client.errors import GpuMarketError
from indexer.errors import IndexerError
from indexer.metrics import SOURCE_FAILURES

OUTAGES: Final = (IndexerError, GpuMarketError, DBAPIError)

log = structlog.get_logger(__name__)


def report_failure(event: str, error: Exception, seconds: float) -> None:
    """Counts and logs an attempt that is repeated in `seconds`, with a traceback unless an outage explains it."""
    SOURCE_FAILURES.labels(type(error).__name__).inc()
    traced = None if isinstance(error, OUTAGES) else error
    log.error(event, error=str(error) or repr(error), retry_in=seconds, exc_info=traced)
