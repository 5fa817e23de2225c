"""Serves a service's metrics to Prometheus, on a separate port: never on one that is open to others."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from socket import AF_INET, AF_INET6
from threading import Thread
from typing import TYPE_CHECKING, Any
from wsgiref.simple_server import WSGIRequestHandler, make_server

from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from prometheus_client.core import Metric
from prometheus_client.exposition import ThreadingWSGIServer
from prometheus_client.registry import Collector

from anchor_client.service.errors import GpuMarketError
from anchor_client.service.redaction import scrub

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

Health = Callable[[], dict[str, Any]]
"""Makes the answer of /health; the service is well while its `status` is `ok`."""


class MetricsUnserved(GpuMarketError):
    """The port for metrics is taken, or the address is not this machine's."""

    default_remedy = "Choose another port or address."


class Together(Collector):
    """Several collectors as one, in which each family of metrics is introduced once."""

    def __init__(self, *parts: Collector) -> None:
        self._parts = parts

    def collect(self) -> Iterable[Metric]:
        """prometheus_client's."""
        families: dict[str, Metric] = {}
        for part in self._parts:
            for found in part.collect():
                family = families.setdefault(found.name, Metric(found.name, found.documentation, found.type))
                family.samples += found.samples
        return families.values()


def exposition(*parts: Collector) -> str:
    """Collectors in Prometheus's text format, without the secrets of endpoints."""
    return scrub(generate_latest(Together(*parts)).decode())


@contextmanager
def serve_metrics(
    parts: Sequence[Collector], host: str, port: int | None, *, health: Health | None = None
) -> Iterator[None]:
    """Serves /metrics, and /health (503 unless it is well) where there is one; nothing without a port.

    In threads of their own, so that they answer while the service hangs. Raises MetricsUnserved.
    """
    if port is None:
        yield
        return

    def answer(environ: WSGIEnvironment, start: StartResponse) -> Iterable[bytes]:
        if environ["PATH_INFO"] == "/metrics":
            start("200 OK", [("Content-Type", CONTENT_TYPE_LATEST)])
            return [exposition(*parts).encode()]
        if environ["PATH_INFO"] == "/health" and health is not None:
            told = health()
            status = "200 OK" if told["status"] == "ok" else "503 Service Unavailable"
            start(status, [("Content-Type", "application/json")])
            return [json.dumps(told).encode()]
        start("404 Not Found", [("Content-Type", "text/plain")])
        return [b"/metrics\n" if health is None else b"/metrics\n/health\n"]

    try:
        server: ThreadingWSGIServer = make_server(host, port, answer, _server_at(host), _Quiet)
    except OSError as error:
        raise MetricsUnserved(f"Metrics cannot be served on {host}, port {port}: {error.strerror}") from error
    thread = Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Quiet(WSGIRequestHandler):
    def log_message(self, format: str, *args: Any) -> None:
        """Requests are not logged."""


def _server_at(host: str) -> type[ThreadingWSGIServer]:
    # wsgiref's server takes the family from its class.
    return type("_Server", (ThreadingWSGIServer,), {"address_family": AF_INET6 if ":" in host else AF_INET})
