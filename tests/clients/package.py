"""The TypeScript client with its packages, built outside the checkout."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from tests.docs.pages import ROOT

SOURCES = ROOT / "clients/typescript"
CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gpu-market"
INSTALL_SECONDS = 300
BUILD_SECONDS = 120
LEAST_NODE = 20


def packages() -> Path:
    """node_modules as the lock file has them, kept between runs; skips where they cannot be had, but not in CI."""
    lock = (SOURCES / "package-lock.json").read_bytes()
    kept = CACHE / f"typescript-{sha256(lock).hexdigest()[:16]}"
    if not kept.exists():
        _require_node()
        making = kept.with_name(f"{kept.name}.{os.getpid()}")
        making.mkdir(parents=True)
        for name in ("package.json", "package-lock.json"):
            shutil.copy(SOURCES / name, making)
        command = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=1"]
        done = subprocess.run(command, cwd=making, capture_output=True, timeout=INSTALL_SECONDS, check=False)
        if done.returncode:
            shutil.rmtree(making)
            _missing(f"the packages of the TypeScript client cannot be installed: {done.stderr.decode()[-500:]}")
        making.rename(kept)
    return kept / "node_modules"


def built(directory: Path, *, typed: bool) -> Path:
    """A copy of the client in `directory`, compiled with its tests and examples: by tsc if `typed`, else by esbuild,
    which looks at no types and is ten times as fast."""
    _require_node()
    ignored = shutil.ignore_patterns("node_modules", "dist", "build")
    client = directory / "clients/typescript"
    shutil.copytree(SOURCES, client, ignore=ignored)
    (directory / "idl").symlink_to(ROOT / "idl")
    (client / "node_modules").symlink_to(packages())
    if typed:
        for project in ("tsconfig.build.json", "tsconfig.json"):
            run(client, "node_modules/typescript/bin/tsc", "-p", project, seconds=BUILD_SECONDS)
        return client
    for base, target, folders in (("src", "dist", ["src"]), (".", "build", ["src", "test", "examples"])):
        sources = [str(file.relative_to(client)) for name in folders for file in sorted((client / name).rglob("*.ts"))]
        run(client, "node_modules/esbuild/bin/esbuild", *sources, f"--outbase={base}", f"--outdir={target}")
    return client


def run(client: Path, *command: str, given: str | None = None, seconds: float = 60) -> str:
    """Runs a script of the client, which must succeed; returns its output."""
    done = subprocess.run(
        ["node", *command], cwd=client, input=given, capture_output=True, text=True, timeout=seconds, check=False
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"
    return done.stdout


@dataclass(frozen=True, slots=True)
class Twin:
    """The TypeScript client, asked for what the Python client can do as well."""

    client: Path

    def __call__(self, **cases: Any) -> dict[str, Any]:
        """Returns the client's results for cases, by their kind."""
        none: dict[str, Any] = {
            "orders": [],
            "opened": [],
            "notes": [],
            "sealed": [],
            "transactions": [],
            "acts": [],
            "requests": [],
            "rents": [],
        }
        told: dict[str, Any] = json.loads(run(self.client, "build/test/twin.js", given=json.dumps(none | cases)))
        return told


def _require_node() -> None:
    if shutil.which("node") is None or shutil.which("npm") is None:
        _missing("node and npm are not on PATH")
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    if int(version.lstrip("v").partition(".")[0]) < LEAST_NODE:
        _missing(f"node {version.strip()} is older than {LEAST_NODE}")


def _missing(what: str) -> None:
    if os.environ.get("CI") == "true":
        pytest.fail(what)
    pytest.skip(what)
