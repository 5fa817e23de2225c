"""Which addresses a command talks to."""

from __future__ import annotations

from pathlib import Path

import pytest

from market_cli.options import Flags
from market_cli.settings import resolve


@pytest.fixture(autouse=True)
def _home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A home without a configuration."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path))


@pytest.mark.parametrize(
    ("rpc", "ws"),
    [
        ("https://rpc.example", "wss://rpc.example"),
        ("https://rpc.example:8443/key", "wss://rpc.example:8444/key"),
        ("http://127.0.0.1:9000", "ws://127.0.0.1:9001"),
    ],
)
def test_resolve__rpc_url_alone__takes_the_websocket_that_the_client_would(rpc: str, ws: str) -> None:
    assert resolve(Flags(rpc=rpc), {}).ws_url == ws
