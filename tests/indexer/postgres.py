"""A PostgreSQL server of the test's own, from the machine's packages."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from types import MappingProxyType

import pytest
from sqlalchemy import Engine, inspect, text
from xprocess import ProcessStarter, XProcess

from indexer.accounts.database import migrate_accounts
from indexer.database import migrate, open_database

DEBIAN = Path("/usr/lib/postgresql")
OWNER = "postgres"
"""PostgreSQL does not run as root; this is who runs it then."""


def find_binaries() -> Path | None:
    """Where initdb and postgres are."""
    found = shutil.which("initdb")
    if found is not None:
        return Path(found).resolve().parent
    return next(iter(sorted(DEBIAN.glob("*/bin"), reverse=True)), None)


def require() -> Path:
    """The binaries; skips with the reason where something is missing, and fails instead in CI."""
    binaries = find_binaries()
    if binaries is not None and importlib.util.find_spec("psycopg") is not None:
        return binaries
    reason = "no PostgreSQL server is installed" if binaries is None else "psycopg is not installed"
    if os.environ.get("CI") == "true":
        pytest.fail(reason)
    pytest.skip(reason)


@contextmanager
def server(xprocess: XProcess, binaries: Path) -> Iterator[str]:
    """A server on a Unix socket; gives the URL of its database."""
    directory = Path(tempfile.mkdtemp(prefix="gpu-market-postgres-"))
    become: list[str] = []
    if os.geteuid() == 0:
        shutil.chown(directory, OWNER)
        become = ["runuser", "-u", OWNER, "--"]
    data = directory / "data"
    initialize = [
        str(binaries / "initdb"),
        "-D",
        str(data),
        "-A",
        "trust",
        "-U",
        OWNER,
        "--locale=C",
        "-E",
        "UTF8",
        "-N",
    ]
    subprocess.run([*become, *initialize], check=True, capture_output=True, cwd=directory)

    socket_only = ["-k", str(directory), "-c", "listen_addresses=", "-c", "fsync=off"]
    serve = [*become, str(binaries / "postgres"), "-D", str(data), *socket_only]

    class Starter(ProcessStarter):
        pattern = "ready to accept connections"
        timeout = 60
        terminate_on_interrupt = True
        args = tuple(serve)
        popen_kwargs = MappingProxyType({"cwd": str(directory)})

    name = directory.name
    xprocess.ensure(name, Starter)
    try:
        yield f"postgresql://{OWNER}@/postgres?host={directory}"
    finally:
        at_once = ["stop", "--mode=immediate", "--wait", "--silent", "--pgdata", str(data)]
        subprocess.run([*become, str(binaries / "pg_ctl"), *at_once], check=True, cwd=directory)
        xprocess.getinfo(name).terminate()
        shutil.rmtree(directory, ignore_errors=True)


KEPT = ("alembic_version", "accounts_version", "projection_version")
"""Of which version the tables are."""


@contextmanager
def emptied(url: str) -> Iterator[Engine]:
    """The database with every table and no row."""
    _migrate_once(url)
    engine = open_database(url)
    try:
        yield engine
        with engine.begin() as connection:
            tables = [name for name in inspect(connection).get_table_names() if name not in KEPT]
            connection.execute(text(f"TRUNCATE {', '.join(tables)} RESTART IDENTITY CASCADE"))
    finally:
        engine.dispose()


@cache
def _migrate_once(url: str) -> None:
    engine = open_database(url)
    migrate(engine)
    migrate_accounts(engine)
    engine.dispose()
