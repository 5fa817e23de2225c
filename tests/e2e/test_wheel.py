"""Contents of `pip install`: the packages with their data, and a console script that runs anywhere."""

from __future__ import annotations

import json
import os
import signal
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest

from indexer.dashboard.files import built as built_files
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
    "yellowstone",
}
DATA = {
    "anchor_client/generated/idl.json",
    "anchor_client/rules/gpus.csv",
    "localnet/program/gpu_market.so",
    "localnet/program/manifest.json",
    "indexer/migrations/script.py.mako",
}
READY_SECONDS = 120


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    _uv("build", "--quiet", "--wheel", "--out-dir", str(folder))
    [built] = folder.glob("*.whl")
    return built


@pytest.mark.exhaustive
@pytest.mark.xdist_group("wheel")
def test_wheel__built__holds_every_package_and_its_data(wheel: Path) -> None:
    names = set(ZipFile(wheel).namelist())
    assert {name.partition("/")[0] for name in names if ".dist-info/" not in name} == PACKAGES
    assert names >= DATA
    built = {f"indexer/dashboard/built/{name}" for name in built_files()}
    assert names >= built | {"indexer/dashboard/manifest.json"}
    written = {str(path.relative_to(ROOT)) for package in PACKAGES for path in (ROOT / package).rglob("*.py")}
    assert names >= written


@pytest.mark.exhaustive
@pytest.mark.xdist_group("wheel")
def test_wheel__installed__serves_a_market_from_any_folder(wheel: Path, tmp_path: Path) -> None:
    environment = tmp_path / "venv"
    _uv("venv", "--quiet", str(environment))
    _uv("pip", "install", "--quiet", "--python", str(environment), str(wheel))
    script, elsewhere = environment / "bin" / "gpu-market", tmp_path / "elsewhere"
    elsewhere.mkdir()
    up = subprocess.Popen(
        [script, "up", "--json", "--port", "0", "--rpc-port", "0"],
        cwd=elsewhere,
        env=Console(tmp_path).environment,
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert up.stdout is not None
        assert json.loads(up.stdout.readline())["ready"] is True
        up.send_signal(signal.SIGINT)
        assert up.wait(READY_SECONDS) == 0
    finally:
        up.kill()
        up.communicate()
    assert list(elsewhere.iterdir()) == []


def _uv(*arguments: str) -> None:
    uv = os.environ.get("UV", "uv")  # `uv run` says which it is
    subprocess.run([uv, *arguments], cwd=ROOT, check=True, timeout=READY_SECONDS)
