"""Jobs by the beginning of their ids, by @last and by names of the renter's own, wherever a command takes one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from solders.pubkey import Pubkey

from anchor_client.market import MachineWanted
from market_cli.errors import BadOption
from market_cli.job_names import check_name, complete_job, keep_name, read_names
from market_cli.main import main
from market_cli.output import table
from market_cli.paths import job_names_file
from tests.market_cli.test_watch import WANTED
from tests.markets.marketplace import H100, Marketplace

ONE, OTHER = Pubkey.new_unique(), Pubkey.new_unique()


@pytest.fixture(autouse=True)
def _own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CONFIG", "DATA", "STATE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / name.lower()))


async def test_job__named_in_each_way__is_the_one_that_is_meant(
    marketplace: Marketplace, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    renter = await marketplace.renter()
    key = tmp_path / "id.json"
    key.write_text(renter.to_json())
    where = ("--keypair", str(key), "--rpc", marketplace.cluster.rpc_url, "--json")

    async def shown(*command: str, code: int = 0) -> dict[str, Any]:
        assert await asyncio.to_thread(main, [*command, *where]) == code
        told: dict[str, Any] = json.loads(capfd.readouterr().out)
        return told

    async with marketplace.market(renter) as market:
        assert (await shown("job", "@last", code=2))["error"] == "BadOption"
        first = (await market.rental.open(WANTED)).id
        keep_name("train", first)
        await market.rental.stop(first)
        second = (await market.rental.open(WANTED)).id
        assert (await shown("job", "@last"))["id"] == str(second)
        assert (await shown("job", "train"))["id"] == str(first)
        assert (await shown("job", str(first)[:9]))["id"] == str(first)
        assert (await shown("stop", str(second)[:9]))["id"] == str(second)
        wanted = MachineWanted(gpu=H100, duration=3_600, pay="GPUM", max_usd=1_500_000, order_hash=bytes(range(32)))
        request = str((await market.request.open(wanted)).id)
        assert (await shown("request", "show", request[:9]))["status"] == "open"
        assert (await shown("job", "@last"))["id"] == str(second)
        assert (await shown("request", "cancel", request[:9]))["status"] == "cancelled"
        assert (await shown("job", "@last"))["id"] == str(second)
        for unknown in ("zzzzzzzz", "nobody-called-it-so", "l0O"):
            assert (await shown("job", unknown, code=2))["error"] == "BadOption"


def test_keep_name__given_again__is_the_newer_jobs() -> None:
    keep_name("train", ONE)
    keep_name("serve", OTHER)
    assert read_names() == {"train": ONE, "serve": OTHER}
    keep_name("train", OTHER)
    assert read_names() == {"train": OTHER, "serve": OTHER}
    assert job_names_file().stat().st_mode & 0o777 == 0o600


async def test_listing__beginning_of_its_id__is_the_one_that_is_meant(
    marketplace: Marketplace, capfd: pytest.CaptureFixture[str]
) -> None:
    async def shown(*command: str, code: int = 0) -> dict[str, Any]:
        where = ("--rpc", marketplace.cluster.rpc_url, "--json")
        assert await asyncio.to_thread(main, [*command, *where]) == code
        told: dict[str, Any] = json.loads(capfd.readouterr().out)
        return told

    listing = str(marketplace.listings[0])
    assert (await shown("listing", listing[:9]))["id"] == listing
    assert (await shown("spot", listing[:9]))["listing"] == listing
    assert (await shown("listing", "zzzzzzzz", code=2))["error"] == "BadOption"
    assert (await shown("listing", "l0O", code=2))["error"] == "BadAddress"


@pytest.mark.parametrize("name", ["show", "verify", "", "9lives", "@last", "Train", "a b", "a" * 32, str(ONE)])
def test_check_name__might_be_something_else__is_refused(name: str) -> None:
    with pytest.raises(BadOption):
        check_name(name)


@pytest.mark.parametrize("text", ["{", '{"train": "?"}', '{"train": 1}', "[1]"])
def test_read_names__damaged_file__is_named(text: str) -> None:
    job_names_file().parent.mkdir(parents=True)
    job_names_file().write_text(text)
    with pytest.raises(BadOption, match="cannot be read"):
        read_names()
    assert complete_job("") == ["@last"]


def test_complete_job__beginning_of_a_name__offers_it() -> None:
    keep_name("train", ONE)
    keep_name("tune", OTHER)
    assert complete_job("t") == ["tune", "train"]
    assert complete_job("@") == ["@last"]


@pytest.fixture
def narrow() -> Callable[[object], str]:
    def printed(what: object) -> str:
        console = Console(width=30)
        with console.capture() as captured:
            console.print(what)
        return captured.get()

    return printed


def test_table__narrower_than_an_id__folds_it(narrow: Callable[[object], str]) -> None:
    rows = table("job", "status")
    rows.add_row(str(ONE), "running")
    printed = narrow(rows)
    assert "…" not in printed
    assert "".join(line.split()[0] for line in printed.splitlines()[1:]) == str(ONE)
