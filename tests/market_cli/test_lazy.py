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
from typing import Any

import pytest
from solders.keypair import Keypair
from typer.core import TyperGroup

from market_cli.lazy import LazyCommand
from market_cli.main import command
from tests.sweeps import sampled

OWN = {"host_agent", "indexer", "keeper", "local_market", "localnet"}
HEAVY = {
    "aiodocker": "a Docker engine is asked",
    "alembic": "an index is opened",
    "asyncssh": "a machine is reached",
    "construct": "an account is decoded",
    "cryptography": "a key is derived, a certificate made",
    "fastapi": "an API is served",
    "httptools": "an answer is parsed",
    "httpx": "no command of ours asks by it",
    "httpx2": "no command of ours asks by it",
    "msgspec": "an answer is decoded",
    "nacl": "an order is sealed",
    "prometheus_client": "a service is measured",
    "pydantic": "a service's settings or a job file are read",
    "solana": "a node is asked",
    "solders": "an address is read",
    "spl": "no command of ours uses it",
    "sqlalchemy": "an index is opened",
    "structlog": "a service logs",
    "uvicorn": "an API is served",
    "websockets": "a change is waited for",
    "yaml": "a job file is read",
}
"""Packages that take long to import, by when they are needed."""
READING = {"construct", "httptools", "msgspec", "solana", "solders"}
"""Packages that decode the accounts that a node answers with."""
ERRORS_OF_OURS = {"local_market", "local_market.errors"}
"""Modules that tell failures of valid input from others; they import nothing themselves."""
DECLARATIONS = {
    "host_agent",
    "host_agent.settings",
    "host_agent.settings.options",
    "indexer",
    "indexer.settings",
    "keeper",
    "keeper.names",
    "keeper.settings",
    "local_market",
    "local_market.settings",
}
"""Declarations of services' settings, which are read for their options; they import nothing heavy themselves."""


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


COMPLETION = "import sys; from market_cli.main import main; main([])"
HELP = """
import os, sys
import typer.rich_utils
from market_cli.main import main
for line in sys.stdin:
    sys.stdout.flush()
    child = os.fork()
    if not child:
        main([*line.split(), "--help"])
        print("MODULES", *sys.modules, flush=True)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
"""
"""Asks for the help of each command on standard input in a process that has imported nothing but what shows it."""


def _paths(group: TyperGroup, before: str = "") -> Iterator[str]:
    yield before
    for name, found in group.commands.items():
        if isinstance(found, TyperGroup):
            yield from _paths(found, f"{before} {name}")
        else:
            yield f"{before} {name}"


def test_help__of_every_command_and_group__imports_nothing_heavy() -> None:
    paths = [*_paths(command())]
    told = subprocess.run(
        [sys.executable, "-c", HELP], input="\n".join(paths) + "\n", capture_output=True, text=True, check=True
    ).stdout
    imported = [set(line.split()[1:]) for line in told.splitlines() if line.startswith("MODULES ")]
    unneeded = {
        path: found
        for path, modules in zip(paths, imported, strict=True)
        if (found := [name for name in modules - DECLARATIONS if name.partition(".")[0] in {*HEAVY, *OWN}])
    }
    assert not unneeded


def test_jobs__of_a_wallet__imports_only_what_reading_needs(empty_node: str, tmp_path: Path) -> None:
    home = {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path)}
    imported = _modules(["jobs", "--renter", str(Keypair().pubkey()), "--rpc", empty_node], **home)
    packages = {name.partition(".")[0] for name in imported}
    assert "solana" in packages
    assert not packages & ({*HEAVY, *OWN} - READING)
    assert not imported & {"anchor_client.market.spot.book", "anchor_client.orders.document", "rich._emoji_codes"}


def _said(parameter: Any) -> dict[str, Any]:
    """All that a parameter is, but for which objects it is made of."""
    said, kind = vars(parameter), parameter.type
    names = {name: (said.get(name) and said[name].__name__) for name in ("_custom_shell_complete", "callback")}
    return said | {"type": (type(kind), str(vars(kind))), **names}


def test_every_command__before_it_is_imported__says_what_it_does() -> None:
    found = list(_commands(command()))
    assert len(found) > 60
    for lazy in found:
        lazy.read_help()
        read, imported = lazy.read(), lazy.load()
        assert lazy.help and (lazy.name, lazy.help) == (imported.name, imported.help)
        assert (read.name, read.help) == (imported.name, imported.help)
        assert [_said(parameter) for parameter in read.params] == [_said(parameter) for parameter in imported.params]
        assert {"--json", "--rpc"} <= {option for parameter in imported.params for option in parameter.opts}


DEAD = "http://127.0.0.1:9"
JOB = "8qbHbw2BbbTHBW1sbeqakYXVKRQM8Ne7pLK7m6CVfeR8"
RENT = ["rent", "--gpu", "nvidia-h100-sxm5-80gb", "--duration", "1h"]


@pytest.mark.parametrize(
    ("arguments", "needed"),
    [
        (RENT, READING),
        (["jobs"], READING),
        (["gpus"], READING),
        (["listings"], READING),
        (["job", "@last"], READING),
        (["job", JOB], READING),
        (["stop", "@last"], READING),
        (["stop", JOB], READING),
        (["template", "list"], READING),
    ],
    ids=lambda value: " ".join(value[:2]) if isinstance(value, list) else "",
)
def test_command__until_it_asks_the_market__imports_nothing_heavy(
    arguments: list[str], needed: set[str], tmp_path: Path
) -> None:
    folders = dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"), str(tmp_path))
    key = tmp_path / "key.json"
    key.write_text(Keypair().to_json())
    key.chmod(0o600)
    node = {"GPU_MARKET_RPC_URL": DEAD, "GPU_MARKET_API_URL": DEAD, "GPU_MARKET_KEYPAIR": str(key)}
    imported = _modules(arguments, **folders, **node) - ERRORS_OF_OURS
    assert "market_cli.session" in imported
    assert not {name.partition(".")[0] for name in imported} & ({*HEAVY, *OWN} - needed)


@pytest.mark.parametrize(
    "module", ["anchor_client.connection", "anchor_client.orders.api", "anchor_client.orders.document"]
)
def test_orders_and_their_delivery__until_they_are_used__import_no_pydantic(module: str) -> None:
    assert _run(f"import sys, {module}; print('pydantic' in sys.modules)") == "False\n"


ENDING = """
import atexit, gc, sys
from market_cli.console import run
atexit.register(lambda: print("END", gc.get_threshold()[0], gc.get_freeze_count() > 10_000))
sys.argv = ["gpu-market", "--help"]
run()
"""


def test_console__of_a_command__collects_seldom_and_not_what_was_imported_as_it_ends() -> None:
    assert _run(ENDING).endswith("END 100000 True\n")


def test_completion_of_models__imports_no_client() -> None:
    words = ["gpu-market", "rent", "--gpu", "nvidia-h100"]
    told = _run(
        f"{COMPLETION}; print('MODULES', *sys.modules)",
        _GPU_MARKET_COMPLETE="complete_bash",
        COMP_WORDS=" ".join(words),
        COMP_CWORD=str(len(words) - 1),
    )
    offered, _, imported = told.partition("MODULES ")
    assert "nvidia-h100-sxm5-80gb" in offered.split()
    assert not {name.partition(".")[0] for name in imported.split()} & {*HEAVY, *OWN}


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
        COMPLETION,
        _GPU_MARKET_COMPLETE="complete_bash",
        COMP_WORDS=" ".join(words),
        COMP_CWORD=str(len(words) - 1),
    )
    assert set(told.split()) == offered - {"charges"}
