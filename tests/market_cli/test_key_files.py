"""Files of keys as people have them: where other things stand, and as editors save them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from solders.keypair import Keypair

from anchor_client.errors import BadKeyFile
from anchor_client.sealing import SealKey
from anchor_client.service import text_file
from anchor_client.solana.wallet import Wallet
from market_cli.main import main
from tests.processes.patience import PATIENCE

JOB = "So11111111111111111111111111111111111111112"
SECRET = "ab" * 32
SCRIPT = Path(sys.executable).with_name("gpu-market")
Put = Callable[[Path], object]


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """Error output of a command that rejects its input without a traceback."""
    assert main(["job", "import-key", *words]) == 2
    said = capsys.readouterr()
    message, remedy = said.err.splitlines()
    assert message.startswith("error: ") and remedy and said.out == ""
    return said.err


@pytest.mark.parametrize(
    ("put", "why"),
    [
        (lambda file: None, "No such file"),
        (lambda file: file.mkdir(), "Is a directory"),
        (lambda file: file.write_bytes(b""), "64 hexadecimal digits"),
        (lambda file: file.write_text("[1, 2, 3]"), "64 hexadecimal digits"),
        (lambda file: file.write_text(SECRET[:-2]), "64 hexadecimal digits"),
        (lambda file: file.write_text(SECRET + "00"), "64 hexadecimal digits"),
        (lambda file: file.write_text("\u0661" * 64), "64 hexadecimal digits"),
        (lambda file: file.write_text(f"{SECRET[:32]} {SECRET[32:]}"), "64 hexadecimal digits"),
        (lambda file: file.write_bytes(b"\x00" * 64), "64 hexadecimal digits"),
        (lambda file: file.write_bytes(b"\xe9\x1b[31m"), "not UTF-8"),
        (lambda file: file.symlink_to("/dev/zero"), "File too large"),
        (lambda file: file.symlink_to(file.name), "Too many levels of symbolic links"),
        (os.mkfifo, "64 hexadecimal digits"),
    ],
)
def test_import_key__no_such_key__says_why(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], put: Put, why: str
) -> None:
    file = tmp_path / f"{JOB}.order.key"
    put(file)
    assert why in refused(capsys, str(file))


@pytest.mark.parametrize(
    "name",
    [
        os.fsdecode(b"caf\xe9.order.key"),
        "\x1b[31mred\x07\n\u202egpj.order.key",
        "[bold]markup[red].order.key",
        ".order.key",
        "order.key",
        "\u8bad" * 76 + ".order.key",
    ],
    ids=["bytes", "controls", "markup", "nameless", "other", "long"],
)
def test_import_key__name_of_no_job__asks_for_it_and_prints_nothing_raw(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    file = tmp_path / name
    file.write_text(SECRET)
    os.utime(file, (-86_400, -86_400))
    said = refused(capsys, str(file))
    assert not {"\x1b", "\x07", "\u202e"} & set(said)
    assert "job" in said


@pytest.mark.parametrize("file", ["n" * 300 + ".order.key", "n" * 5_000])
def test_import_key__name_that_no_file_can_have__says_why(capsys: pytest.CaptureFixture[str], file: str) -> None:
    assert "File name too long" in refused(capsys, file, "--job", JOB)


@pytest.mark.parametrize(
    "saved",
    [
        SECRET.encode(),
        f"{SECRET}\n".encode(),
        f"{SECRET}\r\n".encode(),
        f"\ufeff{SECRET}\r\n".encode(),
        f"{SECRET.upper()}\r\n".encode("utf-16"),
        f"\n  {SECRET}\t\n\n".encode(),
    ],
    ids=["whole", "line", "windows", "mark", "utf-16", "blanks"],
)
def test_seal_key__as_editors_save_it__is_read(tmp_path: Path, saved: bytes) -> None:
    file = tmp_path / "key"
    file.write_bytes(saved)
    link = tmp_path / "link"
    link.symlink_to(file)
    assert SealKey.load(link).public == SealKey.from_bytes(bytes.fromhex(SECRET)).public


def test_wallet__as_editors_save_it__is_read_and_a_device_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    keypair, file = Keypair(), tmp_path / "id.json"
    file.write_bytes(f"\ufeff{keypair.to_json()}\r\n".encode())
    assert Wallet.from_file(file).pubkey == keypair.pubkey()
    monkeypatch.setattr(text_file, "MOST_BYTES", 1_000)
    with pytest.raises(BadKeyFile, match="File too large"):
        Wallet.from_file("/dev/zero")
    monkeypatch.undo()
    file.write_text("[" * 100_000)
    with pytest.raises(BadKeyFile, match="not a JSON array"):
        Wallet.from_file(file)


def test_import_key__pipe_of_a_shell__is_read_and_one_that_stays_open_ends_by_ctrl_c(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_CONFIG_HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)}
    words = [str(SCRIPT), "job", "import-key", "/dev/stdin", "--job", JOB]
    done = subprocess.run(
        words, input=SECRET, env=environment, capture_output=True, text=True, timeout=PATIENCE, check=False
    )
    assert (done.returncode, "No wallet is set up" in done.stderr) == (2, True)
    with subprocess.Popen(words, stdin=subprocess.PIPE, stderr=subprocess.PIPE, env=environment) as waiting:
        assert waiting.stdin is not None and waiting.stderr is not None
        waiting.stdin.write(b"x")
        waiting.stdin.flush()
        for _ in range(int(PATIENCE)):
            if waiting.poll() is not None:
                break
            waiting.send_signal(signal.SIGINT)
            try:
                waiting.wait(1)
            except subprocess.TimeoutExpired:
                continue
        assert waiting.poll() in (130, -signal.SIGINT)
        assert b"Traceback" not in waiting.stderr.read()
