"""Proves the floors of the dependencies: installs the lowest versions declared, imports every module, runs quick tests.

The packages that these need in turn, and the tools of the tests, have the versions that pyproject.toml pins.
"""

import re
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scripts.lock import PINNED, UV

ROOT = Path(__file__).resolve().parents[1]
TOOLS = (
    "httpx",
    "httpx2",
    "hypothesis",
    "psutil",
    "pytest",
    "pytest-asyncio",
    "pytest-xdist",
    "pytest-xprocess",
    "ruff",
    "tenacity",
)
COUPLED = {"multidict", "psycopg-binary", "pydantic-core"}
"""Their versions follow from those of aiohttp, psycopg and pydantic."""
QUIETLY = ("-W", "default::DeprecationWarning")
"""Old versions call what newer ones of the packages below them deprecate."""
RUN_BY_ALEMBIC = {"env", "versions"}
TESTS = """
anchor_client/test_base58.py anchor_client/test_orders.py anchor_client/test_resources.py
anchor_client/service/test_pacing.py
anchor_client/solana/test_http.py anchor_client/solana/test_pubsub.py anchor_client/solana/test_wallet.py
anchor_idl/codegen/test_exact_bytes.py anchor_idl/codegen/test_parse.py
host_agent/test_settings.py host_agent/test_ssh_server.py host_agent/test_terminal.py host_agent/test_tls_identity.py
indexer/test_database.py indexer/test_grpc.py indexer/test_metrics.py indexer/test_models.py indexer/test_rows.py
indexer/accounts/test_sign_in.py indexer/api/test_api.py indexer/api/test_connections.py indexer/api/test_limits.py
indexer/feed/test_feed.py indexer/topic/test_merge.py indexer/webhooks/test_delivery.py
keeper/test_journal.py keeper/test_packing.py keeper/test_process.py
local_market/test_clock.py
localnet/test_geyser.py localnet/test_rpc_subscriptions.py localnet/test_wire_encoding.py
market_cli/test_connection.py market_cli/test_job_file.py market_cli/test_lazy.py market_cli/test_machine.py
market_cli/test_output.py market_cli/test_wrong_input.py
"""
"""Of each package, those that go through most of what it depends on."""
IMPORT = """
import importlib, sys, traceback
failed = {}
for name in sys.argv[1:]:
    try:
        importlib.import_module(name)
    except Exception as error:
        failed.setdefault(repr(error), []).append(name)
for error, names in failed.items():
    print(f"{len(names)} modules, {names[0]} first: {error}")
sys.exit(bool(failed))
"""


def main() -> None:
    """Exits with 1, saying why, where a floor is too low or is none."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = {name: each for name, each in settings["project"]["optional-dependencies"].items() if name != PINNED}
    required = [*settings["project"]["dependencies"], *(each for extra in extras.values() for each in extra)]
    floors = {name: (operator, version) for name, operator, version in floors_of(required)}
    with TemporaryDirectory() as directory:
        python = install(Path(directory), settings, extras, floors)
        problems = list(wrong(floors, run(UV, "pip", "freeze", "--python", python, is_read=True)))
        if problems:
            raise SystemExit("\n".join(problems))
        packages = settings["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
        modules = sorted(modules_of(packages))
        run(python, "-c", IMPORT, *modules)
        print(f"{len(modules)} modules imported with the lowest versions of {len(floors)} packages", flush=True)
        tests = [f"tests/{test}" for test in TESTS.split()]
        run(python, "-m", "pytest", "-q", "-n", "2", "-o", f"cache_dir={directory}/cache", *QUIETLY, *tests)


def floors_of(requirements: Iterable[str]) -> Iterator[tuple[str, str, str]]:
    """Name, operator and version of each requirement."""
    for requirement in requirements:
        found = re.match(r"([\w-]+)(?:\[[\w,]+\])?(>=|==)([\d.]+)", requirement)
        if found is None:
            raise SystemExit(f"{requirement} has no floor")
        yield found[1], found[2], found[3].rstrip(".")


def install(directory: Path, settings: dict[str, Any], extras: Iterable[str], floors: Iterable[str]) -> str:
    """An environment of the lowest versions; its Python."""
    pins = {pin.partition("==")[0]: pin for pin in settings["tool"]["uv"]["constraint-dependencies"]}
    constraints = directory / "constraints.txt"
    constraints.write_text("\n".join(pin for name, pin in pins.items() if name not in {*floors, *COUPLED}))
    environment = directory / "environment"
    run(UV, "venv", "--quiet", "--no-config", "--python", sys.executable, str(environment))
    python = str(environment / "bin" / "python")
    where = ("--python", python, "--constraint", str(constraints), "--resolution", "lowest-direct")
    run(
        UV,
        "pip",
        "install",
        "--quiet",
        "--no-config",
        *where,
        "--editable",
        f".[{','.join(extras)}]",
        *(pins[tool] for tool in TOOLS),
    )
    return python


def wrong(floors: dict[str, tuple[str, str]], installed: str) -> Iterator[str]:
    """The floors below which another package keeps this one from falling, and which therefore nothing proves."""
    versions = dict(re.findall(r"^([\w-]+)==(\S+)$", installed, re.MULTILINE))
    for name, (operator, floor) in floors.items():
        found = versions[name]
        if operator == ">=" and plain(found) != plain(floor):
            yield f"{name}>={floor}: {found} is the lowest that fits; declare that"


def plain(version: str) -> str:
    """The version without the zeros at its end."""
    return re.sub(r"(\.0)+$", "", version)


def modules_of(packages: Iterable[str]) -> Iterator[str]:
    """Every module of the packages but those that run when they are imported."""
    for file in (file for package in packages for file in (ROOT / package).rglob("*.py")):
        parts = file.relative_to(ROOT).with_suffix("").parts
        if parts[-1] != "__main__" and not ("migrations" in parts and RUN_BY_ALEMBIC & set(parts)):
            yield ".".join(parts).removesuffix(".__init__")


def run(*command: str, is_read: bool = False) -> str:
    """Runs a command; returns its output if it is captured."""
    done = subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.PIPE if is_read else None, text=True)
    if done.returncode:
        raise SystemExit(done.returncode)
    return done.stdout or ""


if __name__ == "__main__":
    main()
