"""Commands are imported when they are called, and help, suggestions and completion know all of them before."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest
from solders.keypair import Keypair
from typer.core import TyperGroup

from market_cli.lazy import LazyCommand
from market_cli.main import command
from tests.sweeps import sampled

SERVICES = {"aiodocker", "alembic", "asyncssh", "fastapi", "sqlalchemy", "uvicorn"}
OWN = {"host_agent", "indexer", "keeper", "local_market", "localnet"}
CLIENT = {"anchor_client", "anchor_idl", "construct", "httptools", "nacl", "solana", "solders", "spl"}
LOGS = {"structlog"}
UNUSED = {"httpx", "httpx2", "nacl", "websockets"}
"""Packages for sending orders, sealing them and following changes: commands that only read import none."""


def _commands(group: TyperGroup) -> Iterator[LazyCommand]:
    for found in group.commands.values():
        if isinstance(found, TyperGroup):
            yield from _commands(found)
        else:
            assert isinstance(found, LazyCommand)
            yield found


def _run(code: str, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    return done.stdout


class _EmptyNode(BaseHTTPRequestHandler):
    """Answers every request with nothing found."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = json.dumps({"jsonrpc": "2.0", "id": asked["id"], "result": []}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


@pytest.fixture
def empty_node() -> Iterator[str]:
    """The URL of a node that has no accounts."""
    with HTTPServer(("127.0.0.1", 0), _EmptyNode) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


def _modules(arguments: list[str], **environment: str) -> set[str]:
    code = f"import sys; from market_cli.main import main; main({arguments!r}); print('MODULES', *sys.modules)"
    return set(_run(code, **environment).partition("MODULES ")[2].split())


def _imported(arguments: list[str]) -> set[str]:
    return {name.partition(".")[0] for name in _modules(arguments)}


def test_help__imports_neither_client_nor_services() -> None:
    assert not _imported(["--help"]) & (SERVICES | OWN | CLIENT | LOGS)


def test_group_help__imports_neither_client_nor_services() -> None:
    assert not _imported(["governance", "propose", "--help"]) & (SERVICES | OWN | CLIENT | LOGS)


def test_jobs__imports_no_service() -> None:
    assert not _imported(["jobs", "--help"]) & (SERVICES | OWN | LOGS | UNUSED)


def test_jobs__of_a_wallet__imports_only_what_reading_needs(empty_node: str, tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}
    imported = _modules(["jobs", "--renter", str(Keypair().pubkey()), "--rpc", empty_node], **home)
    packages = {name.partition(".")[0] for name in imported}
    assert "solana" in packages
    assert not packages & (SERVICES | OWN | LOGS | UNUSED)
    assert not imported & {"anchor_client.market.spot.book", "anchor_client.orders.document", "rich._emoji_codes"}


def test_every_command__before_it_is_imported__says_what_it_does() -> None:
    found = list(_commands(command()))
    assert len(found) > 60
    for lazy in found:
        lazy.read_help()
        imported = lazy.load()
        assert lazy.help and (lazy.name, lazy.help) == (imported.name, imported.help)
        assert {"--json", "--rpc"} <= {option for parameter in imported.params for option in parameter.opts}


@pytest.mark.parametrize(
    ("typed", "offered"),
    sampled(
        [("sta", {"staking"}), ("charges s", {"charges", "settle", "set", "show"}), ("jobs --ren", {"--renter"})],
        every=3,
    ),
)
def test_completion__bash__offers_commands_and_options(typed: str, offered: set[str]) -> None:
    words = ["gpu-market", *typed.split()]
    told = _run(
        "from market_cli.main import main; main([])",
        _GPU_MARKET_COMPLETE="complete_bash",
        COMP_WORDS=" ".join(words),
        COMP_CWORD=str(len(words) - 1),
    )
    assert set(told.split()) == offered - {"charges"}
