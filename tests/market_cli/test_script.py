"""Scripts that are refused before anything is paid, and the order's command for the others."""

from __future__ import annotations

import asyncio
from pathlib import Path, PurePosixPath

import pytest

from anchor_client.orders import Workload
from market_cli import script as scripts
from market_cli.commands.rental.renting import check
from market_cli.errors import BadAmount, BadOption
from market_cli.ordering.rental_options import RentalOptions
from market_cli.script import Script
from tests.host_agent import openssh


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    return tmp_path / "work"


@pytest.mark.parametrize("fetch", ["/etc", "../out", "out/../..", ""])
def test_of__fetched_from_elsewhere__is_refused(folder: Path, fetch: str) -> None:
    (folder / "run.sh").touch()
    with pytest.raises(BadOption, match="--fetch"):
        Script.of(folder, None, fetch)


def test_of__folder__runs_what_it_has_or_what_the_command_says(folder: Path) -> None:
    with pytest.raises(BadOption, match="no default script"):
        Script.of(folder, None, None)
    assert Script.of(folder, "make", None).run == "make"
    (folder / "train.py").touch()
    assert "python3 -u ./train.py" in Script.of(folder, None, None).run
    (folder / "run.sh").touch()
    assert Script.of(folder, None, "out/") == Script(folder, "sh ./run.sh", PurePosixPath("out"))


def test_of__too_big__is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scripts, "MOST_BYTES", 10)
    (folder / "run.sh").write_text("x" * 11)
    with pytest.raises(BadOption, match="11 bytes"):
        Script.of(folder / "run.sh", None, None)


@pytest.mark.parametrize("wrong", [{"fetch": "out"}, {"script": Path("x"), "respawn": True, "max_price": "1"}])
def test_check__options_that_exclude_each_other__are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(BadOption, match="script"):
        check(RentalOptions(duration="1h", gpu="nvidia-h100-pcie-80gb", **wrong))  # type: ignore[arg-type]


@pytest.mark.parametrize("amount", [{"max_cost": "much"}, {"max_charges": "-1"}])
def test_check__no_amount__is_refused_whatever_the_token(amount: dict[str, str]) -> None:
    with pytest.raises(BadAmount, match="is not an amount"):
        check(RentalOptions(duration="1h", gpu="nvidia-h100-pcie-80gb", **amount))  # type: ignore[arg-type]


async def test_workload__its_command__runs_the_script_once_it_has_come(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    base = PurePosixPath(str(tmp_path / "there"))
    monkeypatch.setattr(scripts, "BASE", base)
    monkeypatch.setattr(scripts, "FILES", base / "files")
    (folder / "run.sh").write_text("exit 5")
    command = Script.of(folder, "pwd; exit 5", "out").workload(Workload(), until_exit=True).command
    assert command is not None
    running = asyncio.create_task(openssh.run("sh", "-c", command))
    (tmp_path / "there").mkdir(exist_ok=True)
    for name in ("ready", "fetched"):
        (tmp_path / "there" / name).touch()
    done = await running
    assert (done.code, scripts.MINUTES_TO_SEND, scripts.MINUTES_TO_FETCH) == (5, 30, 10)
    assert done.out == f"{base / 'files'}\n\ngpu-market: the script has ended with 5\n"


async def test_workload__script_never_comes__ends_with_75(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scripts, "BASE", PurePosixPath(str(tmp_path / "there")))
    monkeypatch.setattr(scripts, "FILES", PurePosixPath(str(tmp_path / "there/files")))
    monkeypatch.setattr(scripts, "MINUTES_TO_SEND", 0)
    command = Script.of(folder, "exit 5", None).workload(Workload(), until_exit=True).command
    assert command is not None
    done = await openssh.run("sh", "-c", command)
    assert (done.code, done.out) == (75, "")
