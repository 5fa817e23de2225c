"""Something to download."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread


class _Megabyte(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(2**20))
        self.end_headers()
        self.wfile.write(bytes(2**20))

    def log_message(self, format: str, *args: object) -> None:
        pass


@contextmanager
def megabyte() -> Iterator[str]:
    """The URL of a megabyte while the context lasts."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Megabyte) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}/it's-here"
        finally:
            server.shutdown()
            thread.join()
