"""Imports of the packages against the dependencies that pyproject.toml declares for them."""

from __future__ import annotations

import re
import subprocess
import sys
import tomllib
from functools import cache
from importlib.metadata import packages_distributions

from scripts.lock import PINNED
from tests.docs.pages import PACKAGES, ROOT
from tests.docs.test_architecture import imported

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
BY_URL = {"psycopg"}
"""Imported by SQLAlchemy, where a database's URL names PostgreSQL."""
PARTS = {"pydantic-core"}
"""Pydantic names the one version that it goes with."""
EXTRAS = ("confluent_kafka", "google", "grpc", "psycopg", "pyarrow", "redis")
SERVICES = ("indexer.main", "indexer.api.main", "keeper.loop", "host_agent.agent", "market_cli.main")


def named(requirement: str) -> str:
    """The distribution, as its index spells it."""
    found = re.match(r"[\w.-]+", requirement)
    assert found
    return re.sub(r"[-_.]+", "-", found[0]).lower()


@cache
def declared() -> frozenset[str]:
    """Distributions that are installed with the packages and with their extras, not merely because these need them."""
    extras = (extra for name, extra in PROJECT["optional-dependencies"].items() if name != PINNED)
    return frozenset(map(named, (*PROJECT["dependencies"], *(each for extra in extras for each in extra))))


def used() -> dict[str, set[str]]:
    """The distributions that may give each third-party module which the packages import."""
    modules = {module for package in PACKAGES for file in (ROOT / package).rglob("*.py") for module in imported(file)}
    known = packages_distributions()
    foreign = modules - set(PACKAGES) - sys.stdlib_module_names - {"__future__", "_typeshed"}
    return {module: set(map(named, known.get(module, []))) for module in foreign}


def test_dependencies__every_import__is_declared() -> None:
    assert {module for module, distributions in used().items() if not distributions & (declared() | PARTS)} == set()


def test_dependencies__declared__are_imported() -> None:
    assert declared() - set().union(*used().values()) == BY_URL


def test_extras__not_installed__every_service_is_imported_without() -> None:
    code = f"import sys, importlib; sys.modules |= dict.fromkeys({EXTRAS}); [*map(importlib.import_module, {SERVICES})]"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=True)


def test_processes_of_ours__started_by_module__find_no_module_where_they_are_started() -> None:
    """A file `redis.py` in an operator's folder would be run with the service's keys."""
    texts = [file.read_text() for package in PACKAGES for file in (ROOT / package).rglob("*.py")]
    started = [line.strip() for text in texts for line in text.splitlines() if re.search(r'sys\.executable, "-', line)]
    assert len(started) >= 3
    assert [line for line in started if 'sys.executable, "-P", "-m"' not in line] == []
