"""Wrong input ends with one line, a remedy and exit code 2; never with a traceback."""

from __future__ import annotations

import json
import socket
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pytest
from solders.keypair import Keypair

from keeper.names import CrankName
from market_cli.errors import BadOption
from market_cli.main import main
from market_cli.ordering.machine_options import MachineOptions
from market_cli.paths import config_file
from market_cli.script import Script
from tests.market_cli.surroundings import only_of


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty home."""
    only_of(tmp_path, monkeypatch)
    return tmp_path


@pytest.fixture
def closed_port() -> int:
    """A port on which nobody listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _refused(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 2) -> str:
    assert main(arguments) == code
    output = capsys.readouterr()
    message, remedy = (line for line in output.err.splitlines() if not line.startswith("warning: "))
    assert message.startswith("error: ")
    assert remedy
    assert output.out == ""
    return output.err


def test_any_command__rpc_unreachable__names_it(capsys: pytest.CaptureFixture[str], closed_port: int) -> None:
    url = f"http://127.0.0.1:{closed_port}"
    assert url in _refused(capsys, "gpus", "--rpc", url, code=1)


def test_request_open__more_gpus_than_a_machine_can_have__names_the_range(capsys: pytest.CaptureFixture[str]) -> None:
    machine = ("--gpu", "nvidia-h100-pcie-80gb", "--duration", "1h", "--max-price", "2.50")
    assert "1<=x<=255" in _refused(capsys, "request", "open", *machine, "--count", "300")


@pytest.mark.parametrize(
    "command",
    [
        ("rent", "--gpu", "nvidia-h100-pcie-80gb", "--duration", "1h", "--max-price", "0"),
        ("rent", "--gpu", "nvidia-h100-pcie-80gb", "--duration", "1h", "--kind", "spot", "--bid", "0.0"),
        ("request", "open", "--gpu", "nvidia-h100-pcie-80gb", "--duration", "1h", "--max-price", "$0"),
        ("bid", "So11111111111111111111111111111111111111112", "0", "--duration", "1h"),
    ],
    ids=" ".join,
)
def test_order__price_of_nothing__is_refused(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, closed_port: int, command: tuple[str, ...]
) -> None:
    assert "is not a price" in _refused(capsys, *command)


RENT = ("rent", "--gpu", "nvidia-h100-pcie-80gb", "--duration", "1h")


@pytest.mark.parametrize(
    "command",
    [
        (*RENT, "--env-file", "~nosuch/file"),
        (*RENT, "--ssh-key", "~nosuch/file"),
        ("run", "~nosuch/file"),
        ("submit", "~nosuch/file"),
        ("jobs", "--keypair", "~nosuch/file"),
        ("wallet", "show", "--keypair", "~nosuch/file"),
    ],
    ids=" ".join,
)
def test_file__of_a_user_who_is_not_there__is_named(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "~nosuch/file" in _refused(capsys, *command)
    with pytest.raises(BadOption, match="~nosuch/file does not exist"):
        Script.of(Path("~nosuch/file"), None, None)


def test_min_driver__that_is_no_version__is_refused() -> None:
    assert MachineOptions(min_driver="570.86").indexed == {"min_driver": "570.86"}
    with pytest.raises(BadOption, match="'newest' is not a driver version"):
        assert MachineOptions(min_driver="newest").indexed


def test_rent__reserved_until_exit__names_the_two(capsys: pytest.CaptureFixture[str]) -> None:
    machine = ("--gpu", "nvidia-h100-pcie-80gb", "--duration", "7d", "--kind", "reserved")
    assert "--until-exit cannot be used with --kind reserved" in _refused(capsys, "rent", *machine, "--until-exit")


def test_any_command__rpc_is_no_url__says_so(capsys: pytest.CaptureFixture[str]) -> None:
    assert "ftp://example" in _refused(capsys, "gpus", "--rpc", "ftp://example")


def test_any_command__unknown_cluster__names_the_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert "devnet" in _refused(capsys, "gpus", "--cluster", "devnett")


def test_any_command__key_file_missing__names_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert "/nowhere/id.json" in _refused(capsys, "wallet", "show", "--keypair", "/nowhere/id.json")


def test_any_command__key_file_damaged__names_it(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    key = tmp_path / "bad.json"
    key.write_text("[1, 2, 3]")
    assert str(key) in _refused(capsys, "wallet", "show", "--keypair", str(key))


def test_any_command__no_key__says_how_to_make_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert "wallet new" in _refused(capsys, "wallet", "show")


@pytest.mark.parametrize(
    "command",
    [
        ("rent", "--gpu", "nvidia-h100-pcie-80gb", "--duration", "1h"),
        ("bid", "So11111111111111111111111111111111111111112", "--duration", "1h"),
        ("request", "open", "--gpu", "nvidia-h100-pcie-80gb", "--duration", "1h", "--max-price", "2"),
        ("request", "show", "So11111111111111111111111111111111111111112", "--watch"),
    ],
    ids=" ".join,
)
def test_order_commands__no_api_known__refuse_before_they_ask_the_cluster(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, closed_port: int, command: tuple[str, ...]
) -> None:
    key = tmp_path / "id.json"
    key.write_text(Keypair().to_json())
    url = f"http://127.0.0.1:{closed_port}"
    told = _refused(capsys, *command, "--keypair", str(key), "--rpc", url)
    assert "API" in told and "gpu-market config set api_url URL" in told
    assert main(["config", "set", "api_url", url]) == 0
    capsys.readouterr()
    assert "RPC" not in told and url in _refused(capsys, *command, "--keypair", str(key), "--rpc", url, code=1)


def test_rent__no_market_on_this_computer__says_how_to_start_one(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    key = tmp_path / "id.json"
    key.write_text(Keypair().to_json())
    told = _refused(capsys, "rent", "--gpu", "4090", "--duration", "1h", "--keypair", str(key))
    assert "No market runs on this computer" in told and "`gpu-market up`" in told


@pytest.mark.parametrize(
    ("command", "remedy"),
    [
        (("rent",), "`gpu-market rent --help`"),
        (("template", "show"), "`gpu-market template show --help`"),
        (("nonsense-command",), "`gpu-market --help`"),
        (("extend", "1", "-1h"), "never negative"),
        (("staking", "stake", "-5"), "never negative"),
    ],
)
def test_any_command__typed_wrong__names_its_own_help(
    capsys: pytest.CaptureFixture[str], command: tuple[str, ...], remedy: str
) -> None:
    assert remedy in _refused(capsys, *command)


def test_wallet_new__keypair_given__makes_no_other_key(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    assert "`gpu-market wallet new FILE`" in _refused(capsys, "wallet", "new", "--keypair", str(tmp_path / "k.json"))
    assert not [*tmp_path.rglob("*.json")]


@pytest.mark.parametrize("command", ["job", "stop"])
def test_job_commands__not_an_address__say_so(capsys: pytest.CaptureFixture[str], command: str) -> None:
    assert "not-an-address" in _refused(capsys, command, "not-an-address")


def test_any_command__configuration_broken__names_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    config_file().parent.mkdir(parents=True)
    config_file().write_text("cluster = ")
    assert str(config_file()) in _refused(capsys, "gpus")


def test_keeper__unknown_crank__names_the_known(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    key = tmp_path / "id.json"
    key.write_text(Keypair().to_json())
    told = _refused(capsys, "keeper", "--once", "--cranks", "host,dishes", "--keypair", str(key))
    assert "There is no crank 'dishes'" in told and all(name in told for name in CrankName)


def test_keeper__help__names_every_crank(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["keeper", "run", "--help"]) == 0
    told = capsys.readouterr().out
    assert "--cranks" in told and all(name in told for name in CrankName)


def test_version__is_the_packages(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"gpu-market {version('gpu-market')}\n"


def test_config_set__unknown_key__names_the_known(capsys: pytest.CaptureFixture[str]) -> None:
    assert "rpc_url" in _refused(capsys, "config", "set", "colour", "blue")


def test_command__misspelt__suggests_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert "listings" in _refused(capsys, "listngs")


def test_wallet_new__file_exists__is_kept(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    key = tmp_path / "id.json"
    key.write_text("mine")
    assert str(key) in _refused(capsys, "wallet", "new", str(key))
    assert key.read_text() == "mine"


def test_any_command__json__error_is_a_document(capsys: pytest.CaptureFixture[str], closed_port: int) -> None:
    assert main(["gpus", "--rpc", f"http://127.0.0.1:{closed_port}", "--json"]) == 1
    document = json.loads(capsys.readouterr().out)
    assert document["error"] == "UnreachableRpc"
    assert document["remedy"]


def test_indexer__setting_not_valid__names_the_variable(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GPU_MARKET_POLL_INTERVAL", "often")
    assert "GPU_MARKET_POLL_INTERVAL" in _refused(capsys, "indexer")


def _shown(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    assert main([*arguments, "--json"]) == 0
    shown: dict[str, Any] = json.loads(capsys.readouterr().out)
    return shown


def test_settings__named_everywhere__flag_then_environment_then_file(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert _shown(capsys, "config", "show")["rpc_url"] == "http://127.0.0.1:8899"
    assert main(["config", "set", "cluster", "devnet", "--json"]) == 0
    capsys.readouterr()
    assert _shown(capsys, "config", "show")["rpc_url"] == "https://api.devnet.solana.com"
    monkeypatch.setenv("GPU_MARKET_RPC_URL", "https://environment.example")
    assert _shown(capsys, "config", "show")["rpc_url"] == "https://environment.example"
    assert _shown(capsys, "config", "show", "--cluster", "mainnet")["rpc_url"] == "https://api.mainnet-beta.solana.com"
    assert _shown(capsys, "--rpc", "https://before.example", "config", "show")["rpc_url"] == "https://before.example"


def test_config_set__price_feed__is_kept_by_the_tokens_mint(capsys: pytest.CaptureFixture[str]) -> None:
    mint, feed = str(Keypair().pubkey()), str(Keypair().pubkey())
    for key, value in (("tokens.ABC", mint), ("price_feeds.ABC", feed), (f"price_feeds.{mint}", feed)):
        assert main(["config", "set", key, value]) == 0
    capsys.readouterr()
    assert _shown(capsys, "config", "show")["price_feeds"] == {mint: feed}
    assert "not an address" in _refused(capsys, "config", "set", "price_feeds.ABC", "pyth")


def test_config_set__token__is_kept_and_removed(capsys: pytest.CaptureFixture[str]) -> None:
    mint = str(Keypair().pubkey())
    assert main(["config", "set", "tokens.USDC", mint]) == 0
    capsys.readouterr()
    assert _shown(capsys, "config", "show")["tokens"] == {"USDC": mint}
    assert main(["config", "set", "tokens.USDC", ""]) == 0
    capsys.readouterr()
    assert _shown(capsys, "config", "show")["tokens"] == {}


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("governance", "propose", "parameter", "tip_lamport", "7"), "tip_lamports"),
        (("governance", "propose", "parameter", "tip_lamports", str(2**64)), str(2**64)),
        (("governance", "propose", "key", "oracle", "x"), "guardian"),
        (("governance", "propose", "key", "guardian", "not-an-address"), "not-an-address"),
        (("governance", "propose", "pause", "everything"), "orders"),
        (("governance", "propose", "upgrade", "not-an-address"), "not-an-address"),
        (("governance", "propose", "gpu", "nvidia-h10", "100", "2.76"), "nvidia-h100-pcie-80gb"),
        (("governance", "propose", "gpu", "65536", "100", "0"), "from 1 to 65535"),
        (("governance", "propose", "gpu", "0", "100", "0"), "from 1 to 65535"),
        (("governance", "propose", "gpu", "1", "100", "4294.967296"), "4,294.96"),
        (("governance", "propose", "gpu", "1", "65536", "0"), "65535"),
        (("governance", "vote", "0", "maybe"), "for or against"),
        (("governance", "list", "--stage", "odd"), "voting"),
    ],
)
def test_govern__wrong_input__names_what_is_meant(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...], told: str
) -> None:
    assert told in _refused(capsys, *arguments)
