"""The TypeScript client with its packages, built outside the checkout."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.clients.npm import INSTALL_SECONDS, installed, require_node
from tests.docs.pages import ROOT

SOURCES = ROOT / "clients/typescript"
BUILD_SECONDS = 120


def packages() -> Path:
    """The client's node_modules."""
    return installed(SOURCES, "typescript")


def built(directory: Path, *, typed: bool) -> Path:
    """A copy of the client in `directory`, compiled with its tests and examples: by tsc if `typed`, else by esbuild,
    which looks at no types and is ten times as fast."""
    require_node()
    ignored = shutil.ignore_patterns("node_modules", "dist", "build")
    client = directory / "clients/typescript"
    shutil.copytree(SOURCES, client, ignore=ignored)
    for name in ("idl", "tests"):
        (directory / name).symlink_to(ROOT / name)
    (client / "node_modules").symlink_to(packages())
    if typed:
        for project in ("tsconfig.build.json", "tsconfig.json"):
            run(client, "node_modules/typescript/bin/tsc", "-p", project, seconds=BUILD_SECONDS)
        return client
    for base, target, folders in (("src", "dist", ["src"]), (".", "build", ["src", "test", "examples"])):
        sources = [str(file.relative_to(client)) for name in folders for file in sorted((client / name).rglob("*.ts"))]
        run(client, "node_modules/esbuild/bin/esbuild", *sources, f"--outbase={base}", f"--outdir={target}")
    return client


def published(directory: Path) -> Path:
    """A project of somebody's own with the package as npm would publish it, and the example of its README."""
    require_node()
    client, project = directory / "clients/typescript", directory / "project"
    shutil.copytree(SOURCES, client, ignore=shutil.ignore_patterns("node_modules", "dist", "build"))
    (client / "node_modules").symlink_to(packages())
    project.mkdir()
    (project / "package.json").write_text(json.dumps({"name": "mine", "private": True, "type": "module"}))
    npm(client, "pack", "--silent", f"--pack-destination={project}", seconds=BUILD_SECONDS)
    [archive] = project.glob("*.tgz")
    npm(project, "install", "--prefer-offline", "--no-audit", "--no-fund", str(archive), seconds=INSTALL_SECONDS)
    shutil.copy(SOURCES / "examples/rent.ts", project)
    return project


def npm(directory: Path, *command: str, seconds: float) -> None:
    """Runs npm in a folder, which must succeed."""
    done = subprocess.run(
        ["npm", *command], cwd=directory, capture_output=True, text=True, timeout=seconds, check=False
    )
    assert done.returncode == 0, f"{done.stdout}\n{done.stderr}"


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
