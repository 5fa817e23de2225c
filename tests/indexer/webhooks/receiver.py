"""A real HTTP server that takes notices, checks each signature with the package of the specification, and answers."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from asyncio.subprocess import PIPE, Process
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from queue import Queue
from typing import Any

from standardwebhooks import Webhook, WebhookVerificationError

from tests.docs.pages import ROOT, blocks
from tests.indexer.service import until
from tests.processes.patience import PATIENCE


@dataclass
class Taken:
    """A request: its `webhook-id`, what it says, and by which of the known secrets it is signed."""

    id: str
    document: dict[str, Any]
    signed_by: list[str]
    path: str

    @property
    def type(self) -> str:
        return str(self.document["type"])

    @property
    def data(self) -> dict[str, Any]:
        told: dict[str, Any] = self.document["data"]
        return told


class Receiver:
    """A receiver of webhooks: its URL, the notices that have come, and its next answers; 204 by default."""

    def __init__(self, port: int) -> None:
        self.url = f"http://127.0.0.1:{port}/notices"
        self.secrets: list[str] = []
        self.answers: list[tuple[int, dict[str, str]]] = []
        self._taken: Queue[Taken] = Queue()

    def take(self, *types: str) -> Taken:
        """The next notice, which is of one of these types; of any if none is given."""
        taken = self._taken.get(timeout=PATIENCE)
        assert not types or taken.type in types, taken
        return taken

    def await_type(self, wanted: str) -> Taken:
        """The next of a type; those before it are passed over."""
        while (taken := self.take()).type != wanted:
            pass
        return taken

    @property
    def is_empty(self) -> bool:
        return self._taken.empty()

    def put(self, path: str, headers: dict[str, str], body: bytes) -> tuple[int, dict[str, str]]:
        signed_by = [secret for secret in self.secrets if _is_signed(secret, headers, body)]
        document = Webhook(signed_by[0]).verify(body, headers) if signed_by else {"type": "unsigned", "data": {}}
        answer = self.answers.pop(0) if self.answers else (204, {})
        self._taken.put(Taken(headers["webhook-id"], document, signed_by, path))
        return answer


def _is_signed(secret: str, headers: dict[str, str], body: bytes) -> bool:
    try:
        Webhook(secret).verify(body, headers)
    except WebhookVerificationError:
        return False
    return True


@contextmanager
def receiving() -> Iterator[Receiver]:
    """A receiver on a port of this machine, until the block ends."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["content-length"]))
            headers = {name.lower(): value for name, value in self.headers.items()}
            status, more = receiver.put(self.path, headers, body)
            self.send_response(status)
            for name, value in more.items():
                self.send_header(name, value)
            self.end_headers()

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        receiver = Receiver(server.server_port)
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        try:
            yield receiver
        finally:
            server.shutdown()
            thread.join()


async def documented_receiver(secret: str, port: int) -> Process:
    """The program of docs/webhooks.md, as a process."""
    [program] = blocks((ROOT / "docs" / "webhooks.md").read_text(), "python")
    environment = {**os.environ, "WEBHOOK_SECRET": secret, "PORT": str(port)}
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", program, env=environment, stdout=PIPE)
    await until(partial(_listens, port))
    return process


async def _listens(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True
