"""Surroundings of a command that a test runs in its own process."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.markets.marketplace import Marketplace


def only_of(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives commands directories of their own, and nothing in the environment that chooses a cluster or a key."""
    for name in ("CONFIG", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home / name.lower()))
    monkeypatch.setenv("HOME", str(home))
    for name in ("RPC_URL", "WS_URL", "CLUSTER", "KEYPAIR", "API_URL", "PROGRAM_ID"):
        monkeypatch.delenv(f"GPU_MARKET_{name}", raising=False)


def without_an_api(marketplace: Marketplace, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Gives commands directories of their own, the market's cluster, and an API that does not answer."""
    for name in ("CONFIG", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(home))
    monkeypatch.setenv("GPU_MARKET_WS_URL", marketplace.cluster.ws_url)
    monkeypatch.setenv("GPU_MARKET_API_URL", "http://127.0.0.1:1")
