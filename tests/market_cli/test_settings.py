"""Which addresses a command talks to."""

from __future__ import annotations

from pathlib import Path

import pytest

from market_cli.errors import BadConfiguration, BadOption
from market_cli.options import Flags
from market_cli.paths import config_file
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
    assert resolve(Flags(rpc=[rpc]), {}).ws_url == ws


BOTH = "https://a.example/k,https://b.example"


@pytest.mark.parametrize("source", ["flags", "environment", "list in the file", "text in the file"])
def test_resolve__several_nodes__takes_all_with_their_websockets(source: str, tmp_path: Path) -> None:
    if "file" in source:
        file = config_file()
        file.parent.mkdir(parents=True)
        written = '["https://a.example/k", "https://b.example"]' if "list" in source else f'"{BOTH}"'
        file.write_text(f"rpc_url = {written}\nrpc_rate = 2.5\n")
    rpc = ["https://a.example/k", "https://b.example"] if source == "flags" else None
    environment = {"GPU_MARKET_RPC_URL": BOTH} if source == "environment" else {}
    settings = resolve(Flags(rpc=rpc), environment)
    assert settings.rpc_url == BOTH
    assert settings.ws_url == "wss://a.example/k,wss://b.example"
    assert settings.rpc_rate == (2.5 if "file" in source else None)


def test_resolve__one_of_several_that_is_no_url__is_refused() -> None:
    with pytest.raises(BadOption, match="ftp://b"):
        resolve(Flags(rpc=["https://a.example", "ftp://b.example"]), {})


@pytest.mark.parametrize("rate", ["fast", "0", "-1", "inf", "nan"])
def test_resolve__rate_that_is_none__is_refused(rate: str) -> None:
    with pytest.raises(BadConfiguration, match="rpc_rate"):
        resolve(Flags(), {"GPU_MARKET_RPC_RATE": rate})
