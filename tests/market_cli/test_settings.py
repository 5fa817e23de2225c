"""Addresses that a command talks to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from anchor_client.generated.program import PROGRAM_ID
from anchor_client.service.errors import BadSetting
from market_cli.errors import BadConfiguration, BadOption
from market_cli.main import main
from market_cli.options import Flags
from market_cli.paths import config_file
from market_cli.settings.cluster import read_profile, resolve
from tests.e2e.console import Console


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
        file.write_text(f"[clusters.localnet]\nrpc_url = {written}\nrpc_rate = 2.5\n")
    rpc = ["https://a.example/k", "https://b.example"] if source == "flags" else None
    environment = {"GPU_MARKET_RPC_URL": BOTH} if source == "environment" else {}
    settings = resolve(Flags(rpc=rpc), environment)
    assert settings.rpc_url == BOTH
    assert settings.ws_url == "wss://a.example/k,wss://b.example"
    assert settings.rpc_rate == (2.5 if "file" in source else None)


def test_resolve__one_of_several_that_is_no_url__is_refused() -> None:
    with pytest.raises(BadOption, match="ftp://b"):
        resolve(Flags(rpc=["https://a.example", "ftp://b.example"]), {})


def configure(text: str) -> None:
    """Writes the file."""
    file = config_file()
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)


MINT = "So11111111111111111111111111111111111111112"
DEVNET = f"""cluster = "devnet"
[clusters.devnet]
rpc_url = "https://devnet.example"
ws_url = "wss://pubsub.example"
api_url = "https://api.example"
keypair = "/keys/devnet.json"
program_id = "{MINT}"
[clusters.devnet.tokens]
GPUM = "{MINT}"
[clusters.devnet.price_feeds]
GPUM = "{MINT}"
"""


def test_resolve__profile_in_use__counts() -> None:
    configure(DEVNET)
    settings = resolve(Flags(), {})
    assert (settings.cluster, settings.rpc_url, settings.ws_url) == (
        "devnet",
        "https://devnet.example",
        "wss://pubsub.example",
    )
    assert settings.api_url == "https://api.example" and settings.keypair == "/keys/devnet.json"
    assert str(settings.program_id) == MINT and [*settings.tokens] == ["GPUM"] and settings.price_feeds


@pytest.mark.parametrize("source", ["flags", "environment"])
def test_resolve__another_cluster__takes_nothing_of_the_profile_in_use(source: str) -> None:
    configure(DEVNET)
    flags = Flags(cluster="localnet") if source == "flags" else Flags()
    settings = resolve(flags, {"GPU_MARKET_CLUSTER": "localnet"} if source == "environment" else {})
    assert (settings.cluster, settings.rpc_url) == ("localnet", "http://127.0.0.1:8899")
    assert settings.api_url is None and settings.keypair is None
    assert settings.program_id == PROGRAM_ID and not settings.tokens and not settings.price_feeds


def test_resolve__node_named_for_the_profile__keeps_the_rest_but_its_websocket() -> None:
    configure(DEVNET)
    settings = resolve(Flags(rpc=["https://mine.example"]), {})
    assert (settings.cluster, settings.rpc_url, settings.ws_url) == (
        "devnet",
        "https://mine.example",
        "wss://mine.example",
    )
    assert settings.api_url == "https://api.example"


@pytest.mark.parametrize("text", ['rpc_url = "https://a.example"', "[clusters.localnet]\ncolour = 1", "clusters = 1"])
def test_resolve__unknown_setting__is_refused(text: str) -> None:
    configure(text)
    with pytest.raises((BadConfiguration, BadSetting)):
        resolve(Flags(), {})


@pytest.mark.parametrize("rate", ["fast", "0", "-1", "inf", "nan"])
def test_resolve__rate_that_is_none__is_refused(rate: str) -> None:
    with pytest.raises(BadConfiguration, match="rpc_rate"):
        resolve(Flags(), {"GPU_MARKET_RPC_RATE": rate})


def test_config_set__key_file_by_a_relative_path__is_found_from_anywhere(tmp_path: Path) -> None:
    console = Console(tmp_path / "home")
    console.run("wallet", "new", str(tmp_path / "mine.json"))
    console.run("config", "set", "keypair", os.path.relpath(tmp_path / "mine.json"))
    assert console.json("config", "show")["keypair"] == str(tmp_path / "mine.json")


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("api_url", "nonsense"),
        ("api_url", "ftp://a"),
        *(
            ("api_url", f"http://{rest}")
            for rest in ("", "a b", "a\nb", "a\tb", "..a", "[::1", "[v1.a]", "[:x:]", "a:99999")
        ),
        ("ws_url", "ws://"),
        ("ws_url", "ws://a b"),
        ("rpc_url", "https://a,ftp://b"),
        ("ws_url", "https://a"),
        ("rpc_rate", "fast"),
        ("rpc_rate", "0"),
        ("program_id", "x"),
        ("cluster", "nonsense"),
    ],
)
def test_config_set__value_that_it_cannot_have__is_refused_and_nothing_is_written(key: str, value: str) -> None:
    assert main(["config", "set", key, value]) == 2
    assert not config_file().exists()


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("api_url", "https://a.example"),
        ("api_url", "http://[::1]:8000/a?key=b"),
        ("api_url", "http://user:p%20w@a.example."),
        ("rpc_url", BOTH),
        ("ws_url", "wss://a.example"),
        ("rpc_rate", "2.5"),
        ("program_id", str(PROGRAM_ID)),
        ("cluster", "devnet"),
        ("tokens.USDC", str(PROGRAM_ID)),
    ],
)
def test_config_unset__of_what_was_set__leaves_the_default(
    key: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["config", "set", key, value]) == 0 and value in config_file().read_text()
    assert main(["config", "unset", key]) == 0 and value not in config_file().read_text()
    assert "is unset" in capsys.readouterr().out


def test_config_unset__value_that_stops_every_command__is_removed() -> None:
    configure('[clusters.localnet]\nrpc_rate = "fast"\n')
    assert main(["config", "show"]) == 2
    assert main(["config", "unset", "rpc_rate"]) == 0
    assert main(["config", "show"]) == 0
    assert main(["config", "unset", "nonsense"]) == 2


@pytest.mark.parametrize("name", ["\U0001f600", "\U00020bb7", "a\x7fb", 'a"b\\', "a\nb", "é"], ids=ascii)
def test_config_set__path_in_any_script__is_kept_and_read(name: str) -> None:
    assert main(["config", "set", "keypair", f"/home/{name}/id.json"]) == 0
    assert main(["config", "set", f"tokens.{name}", str(PROGRAM_ID)]) == 0
    assert read_profile("localnet").values["keypair"] == f"/home/{name}/id.json"
    assert read_profile("localnet").tables["tokens"] == {name: str(PROGRAM_ID)}


def test_config_set__text_that_no_file_can_have__leaves_the_file_as_it_was() -> None:
    assert main(["config", "set", "rpc_rate", "7"]) == 0
    before = config_file().read_text()
    assert main(["config", "set", "keypair", "/tmp/\udcff"]) == 2
    assert config_file().read_text() == before
    config_file().write_text("[clusters.localnet]\nrpc_rate = 2026-01-01\n")
    assert main(["config", "set", "keypair", "/tmp/key"]) == 2
