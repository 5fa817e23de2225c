"""Commands are imported when they are called, and help, suggestions and completion know all of them before."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from typer.core import TyperGroup

from market_cli.lazy import LazyCommand
from market_cli.main import command

SERVICES = {"aiodocker", "alembic", "asyncssh", "fastapi", "sqlalchemy", "uvicorn"}
OWN = {"host_agent", "indexer", "keeper", "local_market", "localnet"}
CLIENT = {"anchor_client", "anchor_idl", "construct", "httpx", "httpx2", "nacl", "solana", "solders", "spl"}
LOGS = {"structlog"}


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


def _imported(arguments: list[str]) -> set[str]:
    code = f"import sys; from market_cli.main import main; main({arguments!r}); print('MODULES', *sys.modules)"
    return {name.partition(".")[0] for name in _run(code).partition("MODULES ")[2].split()}


def test_help__imports_neither_client_nor_services() -> None:
    assert not _imported(["--help"]) & (SERVICES | OWN | CLIENT | LOGS)


def test_group_help__imports_neither_client_nor_services() -> None:
    assert not _imported(["governance", "propose", "--help"]) & (SERVICES | OWN | CLIENT | LOGS)


def test_jobs__imports_no_service() -> None:
    assert not _imported(["jobs", "--help"]) & (SERVICES | OWN)


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
    [("sta", {"staking"}), ("charges s", {"charges", "settle", "set", "show"}), ("jobs --ren", {"--renter"})],
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
