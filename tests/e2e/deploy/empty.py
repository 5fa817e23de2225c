"""A cluster with nothing on it, for `gpu-market deploy`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

from tests.e2e.console import Console
from tests.markets.builds import second_build
from tests.processes.patience import PATIENCE


@dataclass(frozen=True, slots=True)
class Empty:
    """An empty cluster, and a console in a directory of its own."""

    url: str
    console: Console
    folder: Path

    @property
    def file(self) -> Path:
        """The market file."""
        return self.folder / "market.toml"

    def call(self, method: str, *params: Any) -> Any:
        """Calls the node; returns the result."""
        body = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        return httpx.post(self.url, json=body, timeout=PATIENCE).raise_for_status().json()["result"]

    def fund(self) -> None:
        """Gives the file's authority 100 SOL; a dry run makes the key."""
        shown = self.json("deploy", str(self.file), "--dry-run")
        self.run("wallet", "airdrop", "100", "--to", shown["authority"])

    def run(self, *arguments: str, code: int = 0) -> Any:
        """Runs a command at the cluster's node."""
        return self.console.run(*arguments, "--rpc", self.url, code=code)

    def json(self, *arguments: str, code: int = 0) -> Any:
        """Runs a command at the cluster's node; returns the JSON document that it prints."""
        return self.console.json(*arguments, "--rpc", self.url, code=code)

    def as_authority(self, *arguments: str, code: int = 0) -> Any:
        """The same, with the market's program and its authority."""
        keypair = str(self.folder / "keys/authority.json")
        return self.json(*arguments, "--keypair", keypair, code=code)


def second(folder: Path) -> Path:
    """A file with the second build."""
    path = folder / "second.so"
    path.write_bytes(second_build())
    return path
