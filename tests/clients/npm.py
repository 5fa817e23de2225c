"""npm packages of tests, installed outside the checkout and kept between runs."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

import pytest

CACHE = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "gpu-market"
INSTALL_SECONDS = 300
LEAST_NODE = 20


def installed(sources: Path, name: str, options: Sequence[str] = ()) -> Path:
    """node_modules as the lock file in `sources` has them; skips where they cannot be had, but not in CI."""
    lock = (sources / "package-lock.json").read_bytes()
    kept = CACHE / f"{name}-{sha256(lock).hexdigest()[:16]}"
    if not kept.exists():
        require_node()
        making = kept.with_name(f"{kept.name}.{os.getpid()}")
        making.mkdir(parents=True)
        for file in ("package.json", "package-lock.json"):
            shutil.copy(sources / file, making)
        command = ["npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=1", *options]
        done = subprocess.run(command, cwd=making, capture_output=True, timeout=INSTALL_SECONDS, check=False)
        if done.returncode:
            shutil.rmtree(making)
            missing(f"the packages of {sources.name} cannot be installed: {done.stderr.decode()[-500:]}")
        making.rename(kept)
    return kept / "node_modules"


def require_node() -> None:
    """Skips without Node.js, but not in CI."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        missing("node and npm are not on PATH")
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout
    if int(version.lstrip("v").partition(".")[0]) < LEAST_NODE:
        missing(f"node {version.strip()} is older than {LEAST_NODE}")


def missing(what: str) -> None:
    """Skips, or fails in CI."""
    if os.environ.get("CI") == "true":
        pytest.fail(what)
    pytest.skip(what)
