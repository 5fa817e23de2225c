"""Packages installed without a checkout: with their data, and a console script that runs anywhere."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZipFile

import pytest

from indexer.dashboard.files import built as built_files
from scripts import lock
from tests.docs.pages import commands_under
from tests.e2e.console import Console

ROOT = Path(__file__).parents[2]
PACKAGES = {
    "anchor_client",
    "anchor_idl",
    "host_agent",
    "indexer",
    "keeper",
    "local_market",
    "localnet",
    "market_cli",
}
DATA = {
    "anchor_client/generated/idl.json",
    "anchor_client/rules/gpus.csv",
    "localnet/program/gpu_market.so",
    "localnet/program/manifest.json",
    "indexer/migrations/script.py.mako",
}
PROJECT = tomllib.loads(lock.PROJECT.read_text())["project"]
PINNED = lock.versions("\n".join(PROJECT["optional-dependencies"][lock.PINNED]))
README = (ROOT / "README.md").read_text()
PIPX = "pipx@1.18.4"
SECONDS = 120

pytestmark = [pytest.mark.exhaustive, pytest.mark.xdist_group("wheel")]


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of what a release publishes, as it is built and checked."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(["make", "-s", "dist", f"UV={lock.UV}", f"DIST={folder}"], cwd=ROOT, check=True, timeout=SECONDS)
    return folder


def test_wheel__built__holds_every_package_and_its_data(dist: Path) -> None:
    names = set(ZipFile(_file(dist, ".whl")).namelist())
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == PACKAGES
    assert names >= DATA
    built = {f"indexer/dashboard/built/{name}" for name in built_files()}
    assert names >= built | {"indexer/dashboard/manifest.json"}
    written = {str(path.relative_to(ROOT)) for package in PACKAGES for path in (ROOT / package).rglob("*.py")}
    assert names >= written


def test_wheel__installed_with_the_newest_that_fit__serves_a_market(dist: Path, tmp_path: Path) -> None:
    environment = tmp_path / "venv"
    _run(lock.UV, "venv", "--quiet", str(environment), cwd=tmp_path)
    where = ("--python", str(environment))
    _run(lock.UV, "pip", "install", "--quiet", *where, str(_file(dist, ".whl")), cwd=tmp_path)
    with _serving(environment / "bin" / "gpu-market", tmp_path, ["up"]):
        pass


@pytest.mark.parametrize(
    ("installer", "suffix"), [("uv tool", ".whl"), ("uv tool", ".tar.gz"), ("pipx", ".whl")], ids=lambda each: each
)
def test_readme__without_a_checkout__serves_and_rents(dist: Path, tmp_path: Path, installer: str, suffix: str) -> None:
    install, [_, *up], [_, *rent] = commands_under(README, "Without a checkout")
    assert install == ["uv", "tool", "install", "gpu-market[pinned]"]
    asked = f"{_file(dist, suffix)}[pinned]"
    places = {name: str(tmp_path / name) for name in ("UV_TOOL_DIR", "UV_TOOL_BIN_DIR", "PIPX_HOME", "PIPX_BIN_DIR")}
    if installer == "pipx":
        home, scripts = Path(places["PIPX_HOME"], "venvs"), places["PIPX_BIN_DIR"]
        _run(lock.UV, "tool", "run", "--quiet", PIPX, "install", "--quiet", asked, cwd=tmp_path, **places)
    else:
        home, scripts = Path(places["UV_TOOL_DIR"]), places["UV_TOOL_BIN_DIR"]
        _run(lock.UV, *install[1:-1], "--quiet", "--python", sys.executable, asked, cwd=tmp_path, **places)
    listed = _run(lock.UV, "pip", "freeze", "--python", str(home / "gpu-market"), cwd=tmp_path)
    installed = dict(re.findall(r"^([\w-]+)==(\S+)$", listed, re.MULTILINE))
    assert {"solders", "psycopg"} <= installed.keys() and installed.items() <= PINNED.items()

    script = Path(scripts, "gpu-market")
    with _serving(script, tmp_path, up) as folder:
        rented = _run(str(script), *rent, cwd=folder, **Console(tmp_path).environment)
        assert "The machine is running" in rented and "ssh -p" in rented


@contextmanager
def _serving(script: Path, home: Path, up: list[str]) -> Iterator[Path]:
    """Runs the market from an empty folder, which stays empty, until the block ends; it must stop cleanly."""
    folder = home / "elsewhere"
    folder.mkdir()
    market = subprocess.Popen(
        [script, *up, "--json", "--port", "0", "--rpc-port", "0"],
        cwd=folder,
        env=Console(home).environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert market.stdout is not None
        assert json.loads(market.stdout.readline())["ready"] is True
        yield folder
        market.send_signal(signal.SIGINT)
        assert market.wait(SECONDS) == 0
    finally:
        market.kill()
        market.communicate()
    assert list(folder.iterdir()) == []


def _file(dist: Path, suffix: str) -> Path:
    [found] = dist.glob(f"*{suffix}")
    return found


def _run(*command: str, cwd: Path, **environment: str) -> str:
    """Output of a command."""
    done = subprocess.run(
        command, cwd=cwd, env=os.environ | environment, check=True, timeout=SECONDS, stdout=subprocess.PIPE, text=True
    )
    return done.stdout
