"""Serves a keeper's metrics, and at /health whether it still does its work."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from threading import Thread
from typing import TYPE_CHECKING, Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

from prometheus_client import make_wsgi_app
from prometheus_client.exposition import ThreadingWSGIServer

from keeper.errors import KeeperConfigurationError
from keeper.metrics import KeeperMetrics

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged."""


def health(metrics: KeeperMetrics, stale_seconds: float) -> dict[str, Any]:
    """What /health answers; `status` is `stale` without a pass that went well in so many seconds, else `ok`.

    Amounts in lamports; `oldest_overdue_seconds` is how long the oldest due rental has been due.
    """

    def value(name: str) -> float | None:
        return metrics.registry.get_sample_value(f"gpu_market_keeper_{name}")

    last = value("last_pass_timestamp_seconds") or None
    age = None if last is None else max(time.time() - last, 0)
    return {
        "status": "ok" if age is not None and age <= stale_seconds else "stale",
        "last_pass_seconds_ago": age,
        "balance_lamports": value("balance_lamports"),
        "spent_today_lamports": value("spent_today_lamports"),
        "budget_spent": bool(value("budget_spent")),
        "oldest_overdue_seconds": value("oldest_overdue_seconds"),
    }


@contextmanager
def serve_metrics(metrics: KeeperMetrics, host: str, port: int | None, *, stale_seconds: float) -> Iterator[None]:
    """Serves /health (503 when stale) and the metrics; nothing without a port.

    KeeperConfigurationError when it is taken, or the address is none of this machine's.
    """
    if port is None:
        yield
        return
    page = make_wsgi_app(metrics.registry)

    def answer(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"] != "/health":
            return page(environ, start)  # type: ignore[no-any-return,unused-ignore]
        told = health(metrics, stale_seconds)
        status = "200 OK" if told["status"] == "ok" else "503 Service Unavailable"
        start(status, [("Content-Type", "application/json")])
        return [json.dumps(told).encode()]

    try:
        server = make_server(host, port, answer, ThreadingWSGIServer, _Quiet)
    except OSError as error:
        raise KeeperConfigurationError(
            f"Metrics cannot be served on {host}, port {port}: {error.strerror}", "Choose another port or address."
        ) from error
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
