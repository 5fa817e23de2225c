"""Settings of services, as the commands that run them read and show them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from anchor_client.service.settings import declared
from market_cli.main import main
from market_cli.paths import config_file
from market_cli.settings.keys import service_settings

HOST = """
[clusters.localnet.host]
address = "gpu1.example"
listing = ["A=0,1", "B=2,3"]
keep_images = true
gpus = "0,1"
"""


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Directories of the test's own."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"):
        monkeypatch.setenv(name, str(tmp_path))


def configure(text: str) -> None:
    config_file().parent.mkdir(parents=True, exist_ok=True)
    config_file().write_text(text)


def shown(capsys: pytest.CaptureFixture[str], *command: str) -> Any:
    assert main([*command, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def refused(capsys: pytest.CaptureFixture[str], *command: str) -> str:
    assert main(command) == 2
    return capsys.readouterr().err


def test_host_run__settings_in_every_source__flag_then_environment_then_file(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    configure(HOST)
    monkeypatch.setenv("GPU_MARKET_HOST_GPUS", "none")
    monkeypatch.setenv("GPU_MARKET_HOST_FIRST_PORT", "100")
    found = shown(capsys, "host", "run", "--print-settings", "--first-port", "200", "--no-keep-images")
    assert found["address"] == {"value": "gpu1.example", "source": "file"}
    assert found["listing"] == {"value": "A=0,1 B=2,3", "source": "file"}
    assert found["gpus"] == {"value": "none", "source": "environment"}
    assert found["first_port"] == {"value": "200", "source": "flag"}
    assert found["keep_images"] == {"value": "false", "source": "flag"}
    assert found["shared_memory_gb"] == {"value": "8", "source": "default"}


@pytest.mark.parametrize("command", ["indexer", "api", "keeper", "up", "host run --address x"])
def test_service__print_settings__shows_each_and_runs_nothing(capsys: pytest.CaptureFixture[str], command: str) -> None:
    section = {"api": "indexer"}.get(command, command.partition(" ")[0])
    assert [*shown(capsys, *command.split(), "--print-settings")] == [*declared(service_settings()[section])]


def test_service__file_of_another_place__is_read(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "other.toml").write_text(HOST + '[clusters.devnet.host]\naddress = "gpu2.example"\n')
    monkeypatch.setenv("GPU_MARKET_CONFIG", str(tmp_path / "other.toml"))
    assert shown(capsys, "host", "run", "--print-settings")["address"]["value"] == "gpu1.example"
    devnet = shown(capsys, "host", "run", "--print-settings", "--cluster", "devnet")
    assert (devnet["address"]["value"], devnet["gpus"]["source"]) == ("gpu2.example", "default")


def test_up__another_cluster_in_use__reads_the_local_markets(capsys: pytest.CaptureFixture[str]) -> None:
    configure('cluster = "devnet"\n[clusters.localnet.up]\nport = 9\nkeeper = false\n')
    found = shown(capsys, "up", "--print-settings", "--keeper")
    assert (found["port"]["value"], found["keeper"]["value"]) == ("9", "true")


@pytest.mark.parametrize("command", ["indexer", "api", "keeper --once", "host run", "up", "config show"])
def test_service__variable_misspelt__names_the_nearest(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setenv("GPU_MARKET_DATABASE_ULR", "sqlite://")
    told = refused(capsys, *command.split())
    assert "GPU_MARKET_DATABASE_ULR" in told and "Did you mean GPU_MARKET_DATABASE_URL?" in told


def test_service__name_in_the_file_misspelt__names_the_nearest(capsys: pytest.CaptureFixture[str]) -> None:
    configure(HOST.replace("address", "adress"))
    told = refused(capsys, "host", "run")
    assert str(config_file()) in told and "'adress' of host" in told and "Did you mean address?" in told
    configure(HOST.replace(".host]", ".hots]"))
    assert "Did you mean host?" in refused(capsys, "host", "run")


def test_host_run__without_an_address__says_where_to_set_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert "GPU_MARKET_HOST_ADDRESS" in refused(capsys, "host", "run")


@pytest.mark.parametrize("options", ["--tls-key k", "--tls-certificate c", "--background-command x"])
def test_host_run__half_of_a_pair__asks_for_the_other(capsys: pytest.CaptureFixture[str], options: str) -> None:
    assert "--tls-" in (told := refused(capsys, "host", "run", "--address", "x", *options.split())) or (
        "--background-image" in told
    )


def test_config_set__of_a_service__is_checked_and_kept(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "set", "host.address", "gpu3.example"]) == 0
    assert main(["config", "set", "keeper.cranks", "host,mfp"]) == 0
    capsys.readouterr()
    assert shown(capsys, "host", "run", "--print-settings")["address"]["value"] == "gpu3.example"
    assert shown(capsys, "keeper", "--print-settings")["cranks"] == {"value": "host mfp", "source": "file"}
    assert "Did you mean first_port?" in refused(capsys, "config", "set", "host.first_prot", "1")
    assert "host.first_port" in refused(capsys, "config", "set", "host.first_port", "no")
    assert main(["config", "set", "host.address", ""]) == 0
    assert "address is missing" in refused(capsys, "host", "run")


def test_config_set__secret_of_a_service__is_not_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["config", "set", "indexer.hooks_secret", "a secret of webhooks"]) == 0
    assert "a secret" not in capsys.readouterr().out
    assert shown(capsys, "indexer", "--print-settings")["hooks_secret"] == {"value": "***", "source": "file"}


def test_config_show__each_setting__has_its_source(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    configure('[clusters.localnet]\napi_url = "https://api.example"\nws_url = "wss://ws.example"\n')
    monkeypatch.setenv("GPU_MARKET_RPC_RATE", "5")
    sources = shown(capsys, "config", "show", "--rpc", "https://rpc.example")["sources"]
    assert [sources[name] for name in ("rpc_url", "rpc_rate", "api_url", "ws_url", "keypair")] == [
        *("flag", "environment", "file", "default", "default")
    ]
