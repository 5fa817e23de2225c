"""Files, databases and engines that cannot be used, and interruptions: one line, a remedy, and no traceback."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from typing import IO

import aiodocker.docker
import pytest
from rich.table import Table

from anchor_client.service import private_files
from market_cli import console
from market_cli.commands.config import show
from market_cli.main import main
from market_cli.paths import config_file, wallet_file

COMMAND = (sys.executable, "-c", "from market_cli.console import run; run()")


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CONFIG", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))


def _failed(capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 1) -> str:
    assert main(arguments) == code
    output = capsys.readouterr()
    message, remedy = (line for line in output.err.splitlines() if line != "Starting gpu-market …")
    assert message.startswith("error: ") and remedy
    assert output.out == ""
    return message


def test_config_set__home_that_cannot_be_written__names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CONFIG_HOME", "/proc/nope")
    command = (*COMMAND, "config", "set", "rpc_url", "http://127.0.0.1:8899")
    ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=60)
    message, _ = ended.stderr.splitlines()  # in a process that has imported no more than the command needs
    assert (ended.returncode, ended.stdout) == (1, "")
    assert message.startswith("error: ") and "/proc/nope" in message


def test_config_set__disk_full__names_the_file_and_keeps_the_settings(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(["config", "set", "rpc_url", "http://127.0.0.1:8899"]) == 0
    kept = config_file().read_text()
    capsys.readouterr()

    def full(descriptor: int, mode: str) -> IO[bytes]:
        os.close(descriptor)
        return open("/dev/full", mode)

    monkeypatch.setattr(private_files.os, "fdopen", full)
    message = _failed(capsys, "config", "set", "rpc_url", "http://127.0.0.1:1")
    assert str(config_file().parent) in message and "No space left on device" in message
    assert config_file().read_text() == kept and [*config_file().parent.iterdir()] == [config_file()]
    assert "cannot be written: No space left" in _failed(capsys, "wallet", "new", code=2)
    assert not wallet_file().exists()


def test_up__directory_that_cannot_be_made__names_it(capsys: pytest.CaptureFixture[str]) -> None:
    assert "/proc/nope" in _failed(capsys, "up", "--data", "/proc/nope", "--port", "0", "--rpc-port", "0")


@pytest.mark.parametrize("command", [("indexer",), ("indexer", "gaps")])
def test_indexer__database_that_cannot_be_opened__names_it(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, command: tuple[str, ...]
) -> None:
    database = tmp_path / "nowhere" / "x.db"
    assert str(database) in _failed(capsys, *command, "--database", f"sqlite:///{database}")


def test_host_machines__no_engine__says_so(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DOCKER_HOST", raising=False)
    monkeypatch.setattr(aiodocker.docker, "_sock_search_paths", [])
    assert "no Docker engine" in _failed(capsys, "host", "machines", code=2)


def test_any_command__output_is_full__says_so() -> None:
    command = (*COMMAND, "config", "show")
    with open("/dev/full", "w") as full:
        ended = subprocess.run(command, check=False, stdout=full, stderr=subprocess.PIPE, text=True, timeout=60)
    assert (ended.returncode, ended.stderr.splitlines()[0]) == (
        1,
        "error: The output cannot be written: No space left on device",
    )
    assert "Traceback" not in ended.stderr and "ignored" not in ended.stderr


def test_any_command__interrupted__says_so(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*columns: str) -> Table:
        signal.raise_signal(signal.SIGINT)
        return Table(*columns)

    monkeypatch.setattr(show, "table", interrupted)
    assert main(["config", "show"]) == 130
    assert capsys.readouterr().err.startswith("error: Interrupted\n")


def test_any_command__interrupted_while_it_imports__says_so(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(name: str) -> object:
        signal.raise_signal(signal.SIGINT)
        return import_module(name)

    monkeypatch.setattr(console, "import_module", interrupted)
    with pytest.raises(SystemExit) as exit_:
        console.run()
    assert exit_.value.code == 130
    assert capsys.readouterr().err == "error: Interrupted\n"
