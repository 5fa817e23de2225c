"""Unmodified JavaScript clients against the embedded cluster."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.localnet.endpoint import Endpoint

pytestmark = [pytest.mark.exhaustive, pytest.mark.xdist_group("javascript")]
SOURCES = Path(__file__).parent / "javascript"
SECONDS = 60
INSTALL_SECONDS = 180


@pytest.fixture(scope="session")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The scripts with their packages installed; skipped without node and npm, but not in CI."""
    if shutil.which("node") is None or shutil.which("npm") is None:
        if os.environ.get("CI") == "true":
            pytest.fail("node and npm are not on PATH")
        pytest.skip("node and npm are not on PATH")
    directory = tmp_path_factory.mktemp("javascript")
    shutil.copytree(SOURCES, directory, dirs_exist_ok=True)
    command = ["npm", "install", "--no-audit", "--no-fund", "--ignore-scripts"]
    subprocess.run(command, cwd=directory, check=True, capture_output=True, timeout=INSTALL_SECONDS)
    return directory


def run(scripts: Path, name: str, *arguments: str) -> dict[str, Any]:
    """Runs a script; returns what it saw."""
    command = ["node", name, *arguments]
    ended = subprocess.run(command, cwd=scripts, capture_output=True, text=True, timeout=SECONDS, check=False)
    assert ended.returncode == 0, ended.stderr
    seen: dict[str, Any] = json.loads(ended.stdout)
    return seen


def test_web3_js__whole_round__sees_what_it_sent(localnet: Endpoint, scripts: Path) -> None:
    assert run(scripts, "web3.js", localnet.http) == {
        "notified": 1_000_000_000,
        "balance": 1_000_000_000,
        "parsed": "transfer",
        "history": [True],
        "refusal": "SendTransactionError",
        "logs": "Program 11111111111111111111111111111111 failed: custom program error: 0x1",
    }


def test_kit__whole_round__sees_what_it_sent(localnet: Endpoint, scripts: Path) -> None:
    assert run(scripts, "kit.js", localnet.http, localnet.ws) == {"balance": 1_000_000_000, "fee": 5_000, "version": 0}
