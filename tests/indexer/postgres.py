"""A PostgreSQL server of the test's own, from the machine's packages."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import MappingProxyType

import pytest
from sqlalchemy import Engine, text
from xprocess import ProcessStarter, XProcess

from indexer.accounts.database import migrate_accounts
from indexer.index.projection_version import current_version, keep_version
from indexer.store.database import migrate, open_database

DEBIAN = Path("/usr/lib/postgresql")
OWNER = "postgres"
"""PostgreSQL does not run as root; this is who runs it then."""


def find_binaries() -> Path | None:
    """Folder of initdb and postgres; None if they are not installed."""
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


@dataclass(frozen=True, slots=True)
class Files:
    """A database directory, and the account that PostgreSQL's programs run as."""

    home: Path
    binaries: Path
    become: tuple[str, ...]

    @property
    def url(self) -> str:
        """Of the server's database, on a Unix socket."""
        return f"postgresql://{OWNER}@/postgres?host={self.home}"

    @property
    def socket_only(self) -> tuple[str, ...]:
        """The server's options: nobody reaches it but by that socket."""
        return "-k", str(self.home), "-c", "listen_addresses="

    def command(self, program: str, *arguments: str) -> list[str]:
        """One of PostgreSQL's programs on these files."""
        return [*self.become, str(self.binaries / program), "-D", str(self.home / "data"), *arguments]


@contextmanager
def initialized(binaries: Path) -> Iterator[Files]:
    """New files, which nobody keeps."""
    home = Path(tempfile.mkdtemp(prefix="gpu-market-postgres-"))
    try:
        become: tuple[str, ...] = ()
        if os.geteuid() == 0:
            shutil.chown(home, OWNER)
            become = ("runuser", "-u", OWNER, "--")
        files = Files(home, binaries, become)
        options = ("-A", "trust", "-U", OWNER, "--locale=C", "-E", "UTF8", "-N")
        subprocess.run(files.command("initdb", *options), check=True, capture_output=True, cwd=home)
        yield files
    finally:
        shutil.rmtree(home, ignore_errors=True)


@contextmanager
def server(xprocess: XProcess, binaries: Path) -> Iterator[str]:
    """A server on a Unix socket; gives the URL of its database."""
    with initialized(binaries) as files:
        quick = ("-c", "fsync=off", "-c", "autovacuum=off", "-c", "jit=off")
        serve = files.command("postgres", *files.socket_only, *quick)

        class Starter(ProcessStarter):
            pattern = "ready to accept connections"
            timeout = 60
            terminate_on_interrupt = True
            args = tuple(serve)
            popen_kwargs = MappingProxyType({"cwd": str(files.home)})

        name = files.home.name
        xprocess.ensure(name, Starter)
        try:
            yield files.url
        finally:
            at_once = files.command("pg_ctl", "stop", "--mode=immediate", "--wait", "--silent")
            subprocess.run(at_once, check=True, cwd=files.home)
            xprocess.getinfo(name).terminate()


EMPTY = """
DO $$
DECLARE
  name text;
  has_rows boolean;
BEGIN
  FOR name IN SELECT tablename FROM pg_tables WHERE schemaname = 'public'
      AND tablename NOT IN ('alembic_version', 'accounts_version') LOOP
    EXECUTE format('SELECT EXISTS (SELECT FROM %I)', name) INTO has_rows;
    IF has_rows THEN EXECUTE format('TRUNCATE %I CASCADE', name); END IF;
  END LOOP;
  FOR name IN SELECT sequencename FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL LOOP
    EXECUTE format('ALTER SEQUENCE %I RESTART', name);
  END LOOP;
END $$
"""
"""Takes what rows there are, and not those of migrations: to empty every table takes longer than most tests."""


@contextmanager
def emptied(url: str) -> Iterator[Engine]:
    """The database with every table and no row."""
    _migrate_once(url)
    engine = open_database(url)
    try:
        yield engine
        with engine.begin() as connection:
            connection.execute(text(EMPTY))
            keep_version(connection, current_version())
    finally:
        engine.dispose()


@cache
def _migrate_once(url: str) -> None:
    engine = open_database(url)
    migrate(engine)
    migrate_accounts(engine)
    engine.dispose()
