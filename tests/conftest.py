"""Setup of every test."""

from __future__ import annotations

import gc
import os
import signal
from collections.abc import Iterator

import pytest
import structlog
from xprocess import XProcess

from tests.host_agent.docker.engine import OwnEngine, require, running
from tests.processes.tls import trust_nobody


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--pictures` has the browser's tests write the pictures of docs/."""
    parser.addoption("--pictures", action="store_true", help="Write docs/dashboard*.png as the browser shows them.")


def pytest_configure(config: pytest.Config) -> None:
    """Lets processes that tests start cache compiled modules where the environment forbids it: else each compiles them.

    Restores Ctrl-C, too: shells ignore it in the background, and so would everything that is started there. Forgets the
    make that runs the tests: its ARGS would be those of every make that a test starts.
    """
    assert config.cache is not None
    # Before gRPC is there: a fork beside its threads hangs in its handlers, and what a test starts would never begin.
    os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "false")
    signal.signal(signal.SIGINT, signal.default_int_handler)
    for name in ("PYTHONDONTWRITEBYTECODE", "ARGS", "MAKEFLAGS", "MAKELEVEL", "MFLAGS"):
        os.environ.pop(name, None)
    os.environ.setdefault("PYTHONPYCACHEPREFIX", str(config.cache.mkdir("bytecode")))
    trust_nobody()


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Freezes what is collected, for it stays to the end: scanning it for garbage again takes a sixth of the time."""
    gc.disable()
    try:
        yield
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.fixture(scope="session")
def xprocess(request: pytest.FixtureRequest, tmpdir_factory: pytest.TempdirFactory) -> Iterator[XProcess]:
    """Processes of this run. The plugin's own fixture keeps their numbers beyond it, in the cache: by the next run one
    of them may be another program's, which would pass for the process of that name and be ended in its place.
    """
    with XProcess(request.config, tmpdir_factory.mktemp("xprocess")) as processes:
        request.config._xprocess = processes  # type: ignore[attr-defined]  # where the plugin ends them on Ctrl-C
        yield processes


@pytest.fixture(autouse=True)
def _own_logs() -> Iterator[None]:
    """A command that a test runs in its own process logs to a stream that is gone with the test."""
    yield
    structlog.reset_defaults()


@pytest.fixture(scope="session")
def engine(xprocess: XProcess) -> Iterator[OwnEngine]:
    """A Docker engine with the images of tests.host_agent.docker.engine."""
    require()
    with running(xprocess, **{"max-download-attempts": 1}) as started:
        yield started
