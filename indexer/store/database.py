"""The database: SQLite with a write-ahead log by default, PostgreSQL by URL; migrations alone make tables."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, Engine, create_engine, event, func, select
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError, OperationalError

from anchor_client.service.redaction import hide, scrub
from indexer.changes.signal import wake
from indexer.errors import DatabaseUnusable

BUSY_SECONDS = 30
IN_MEMORY = ":memory:"
POOL_SIZE = 16
"""Connections of a process to a PostgreSQL database: more than it has threads that need one."""
COPY_TYPES = "copy_types"
TEXT = 0
"""The format in which psycopg reads values, unless told otherwise."""
SQLITE_PRAGMAS = (
    "journal_mode=WAL",
    # With a write-ahead log this is safe: a power cut may take the last commits, which the chain has still.
    "synchronous=NORMAL",
    f"busy_timeout={BUSY_SECONDS * 1000}",
    "cache_size=-65536",  # KiB: random keys of a large index land on pages that are in memory
    "wal_autocheckpoint=8192",  # pages, 32 MiB: a page that many commits change is copied back once
)
VERSION_TABLES = {"indexer": "alembic_version", "indexer.accounts": "accounts_version"}
"""Tables in which each area's migrations write down how far they are."""
FENCE = "fence"
"""Option of an engine: called with each connection that has its turn to write; what it raises rolls back."""
VERSION = "version"
"""The same, for another."""
IDLE_SECONDS = 30
"""Longest that a suspended projector holds up PostgreSQL's other writers: its transaction is rolled back then."""
WRITERS_LOCK = 0x6770755F6D6B74
"""Key of the advisory lock that PostgreSQL's writers take in turn."""


def open_database(url: str) -> Engine:
    """An engine for a URL; DatabaseUnusable if it is malformed or its driver is not installed."""
    try:
        # First: the errors below may name the URL.
        hide(url)
        parsed = make_url(url)
        if parsed.get_backend_name() == "postgresql" and parsed.drivername == "postgresql":
            # SQLAlchemy takes the bare name for psycopg2.
            parsed = parsed.set(drivername="postgresql+psycopg")
        if parsed.get_backend_name() == "sqlite":
            _make_private(parsed.database)
            return _sqlite(create_engine(parsed, connect_args={"timeout": BUSY_SECONDS}))
        # Tried before use: a server that was restarted has closed what the pool holds.
        return _postgres(create_engine(parsed, pool_size=POOL_SIZE, max_overflow=0, pool_pre_ping=True))
    except (ArgumentError, NoSuchModuleError, ModuleNotFoundError) as error:
        raise DatabaseUnusable(scrub(f"{url.partition('://')[0]}: {error}")) from error


def folder_of(engine: Engine) -> Path:
    """Folder of a SQLite database's file; the working directory for any other database."""
    file = file_of(engine)
    return Path.cwd() if file is None else file.parent


def file_of(engine: Engine) -> Path | None:
    """A SQLite database's file, None for any other database."""
    file = engine.url.database if engine.dialect.name == "sqlite" else None
    return Path(file) if file and file != IN_MEMORY and not file.startswith("file:") else None


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """One SQL transaction that changes the index. Writers, of any process, take turns from its start to its end.

    So what it reads first is what it changes, and nobody is refused half-way.
    """
    with engine.connect() as connection, begin_writing(connection):
        yield connection


@contextmanager
def begin_writing(connection: Connection) -> Iterator[None]:
    """The same on a connection that is there. Wakes who waits for a commit."""
    connection.execution_options(writes=True)
    try:
        with connection.begin():
            options = connection.get_execution_options()
            fence = options.get(FENCE)
            if connection.dialect.name == "postgresql":
                # In the statement that takes the lock: nobody can be suspended with the lock and without the limit.
                limit = func.set_config("idle_in_transaction_session_timeout", f"{IDLE_SECONDS}s", True)
                limits = [] if fence is None else [limit]
                connection.execute(select(*limits, func.pg_advisory_xact_lock(WRITERS_LOCK)))
            for check in (fence, options.get(VERSION)):
                if check is not None:
                    check(connection)
            yield
    finally:
        connection.execution_options(writes=False)
    # After the commit: readers that are woken read immediately.
    wake(connection.engine)


def migrate(engine: Engine, area: str = "indexer") -> None:
    """Brings the tables of an area, a package with migrations, to this version's form. Where they have it, nobody waits
    and no writer is waited for. DatabaseUnusable if it cannot be opened.
    """
    with as_file(files(area) / "migrations") as scripts:
        config = Config()
        config.set_main_option("script_location", str(scripts))
        try:
            connected = engine.connect()
        except OperationalError as error:
            raise DatabaseUnusable(scrub(f"{engine.url.render_as_string()}: {error.orig}")) from error
        with connected as connection:
            if _is_migrated(connection, config, area):
                return
            with begin_writing(connection):
                config.attributes["connection"] = connection
                command.upgrade(config, "head")


def _is_migrated(connection: Connection, config: Config, area: str) -> bool:
    """True where the tables have this version's form."""
    newest = ScriptDirectory.from_config(config).get_current_head()
    with connection.begin():
        known = MigrationContext.configure(connection, opts={"version_table": VERSION_TABLES[area]})
        return known.get_current_revision() == newest


def _postgres(engine: Engine) -> Engine:
    """COPY ... FROM STDIN (FORMAT BINARY) takes rows as any statement takes parameters; COPY_TYPES says their types.

    Every NUMERIC is an integer here, and read as one.
    """

    def connected(connection: Any, record: object) -> None:
        known = connection.adapters
        known.register_loader("numeric", known.get_loader(known.types["int8"].oid, TEXT))

    def copied_all(cursor: Any, statement: str, rows: Iterable[Sequence[Any]], context: Any) -> bool:
        if not statement.startswith("COPY"):
            return False
        with cursor.copy(statement) as copy:
            copy.set_types(context.execution_options[COPY_TYPES])
            for row in rows:
                copy.write_row(row)
        return True

    def copied_one(cursor: Any, statement: str, row: Sequence[Any], context: Any) -> bool:
        return copied_all(cursor, statement, [row], context)

    event.listen(engine, "connect", connected)
    event.listen(engine, "do_executemany", copied_all)
    event.listen(engine, "do_execute", copied_one)
    return engine


def _make_private(file: str | None) -> None:
    """Makes the file of a new SQLite database for its owner alone: it has secrets of webhooks."""
    if file in (None, "", IN_MEMORY) or file.startswith("file:"):
        return
    # What cannot be made is named where the database is opened.
    with suppress(OSError):
        os.close(os.open(file, os.O_RDWR | os.O_CREAT, 0o600))


def _sqlite(engine: Engine) -> Engine:
    """Real transactions: the driver begins none implicitly, so that DDL and reads are inside them too."""

    def connected(connection: Any, record: object) -> None:
        connection.isolation_level = None
        for pragma in SQLITE_PRAGMAS:
            connection.execute(f"PRAGMA {pragma}").close()

    def begun(connection: Connection) -> None:
        writes = connection.get_execution_options().get("writes", False)
        # IMMEDIATE takes the turn to write from the start. A transaction that reads first and writes then is refused
        # (SQLITE_BUSY_SNAPSHOT) where another has written meanwhile, and no timeout helps.
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    event.listen(engine, "connect", connected)
    event.listen(engine, "begin", begun)
    return engine
