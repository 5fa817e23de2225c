"""Traffic and storage of a rental from the command line, from the host's price to what the renter agrees to."""

from __future__ import annotations

from pathlib import Path

import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.market import Market
from tests.e2e.seeded import UpProcess

pytestmark = pytest.mark.xdist_group("up")
GPU = "nvidia-h200-sxm5-141gb"


@pytest.fixture
def host(up: UpProcess, tmp_path: Path) -> tuple[str, ...]:
    """Options that sign as an approved host of its own."""
    key = tmp_path / "host.json"
    wallet = up.console.json("wallet", "new", str(key))["address"]
    signed = ("--keypair", str(key))
    up.console.run("wallet", "airdrop", "5", *signed)
    up.console.run("host", "register", "--seal-key", str(tmp_path / "seal.key"), *signed)
    authority = Path(up.ready["data"]) / "keys" / "authority.json"
    up.console.run("host", "approve", wallet, "--keypair", str(authority))
    return signed


@pytest.fixture
def listing(up: UpProcess, host: tuple[str, ...]) -> str:
    """A machine of that host."""
    machine = ("--gpu", GPU, "--region", "eu-west", "--price", "3.10")
    listing: str = up.console.json("host", "list", *machine, *host)["listing"]
    up.console.run("host", "heartbeat", *host)
    return listing


def keypair_in(file: str) -> Keypair:
    return Keypair.from_json(Path(file).read_text())


async def start(up: UpProcess, job: str, key: str) -> None:
    """Does what the host's agent would."""
    async with Market.connect(up.ready["rpc_url"], keypair_in(key), ws_url=up.ready["ws_url"]) as market:
        await market.rental.accept(Pubkey.from_string(job), b"sealed")
        await market.rental.start(Pubkey.from_string(job))


async def test_charges__priced_capped_reported_and_accepted__host_is_paid(
    up: UpProcess, host: tuple[str, ...], listing: str
) -> None:
    order = ("--listing", listing, "--duration", "1h", "--pay", "USDC")
    set_ = up.console.json(
        "charges", "set", listing, "--bandwidth", "0.01", "--free-gb", "2", "--storage", "0.0001", *host
    )
    priced = {"bandwidth_usd": 10_000, "bandwidth_free_gb": 2, "storage_usd": 100}
    assert {name: set_[name] for name in priced} == priced
    shown = next(one for one in up.console.json("listings", "--gpu", GPU) if one["id"] == listing)
    assert shown["charges"] == priced
    assert "$0.01/GB out above 2 GB" in up.console.run("listings", "--gpu", GPU).stdout

    job = up.console.json("rent", *order, "--max-charges", "2", "--storage-gb", "20")["id"]
    meter = up.console.json("charges", "show", job)
    assert (meter["cap"], meter["storage_gb"], meter["pending"]) == ("2000000", 20, "0")
    early = up.console.run("charges", "report", job, "5000", *host, code=2)
    assert "has not started" in early.stderr
    await start(up, job, host[-1])
    assert up.console.json("charges", "report", job, "5000", *host)["added"] == "30000"
    assert up.console.json("charges", "dispute", job)["disputed"] == "30000"
    assert up.console.json("charges", "accept", job)["accepted"] == "30000"
    assert up.console.json("charges", "settle", job, *host)["paid"] == "30000"
    assert "0.03 USDC" in up.console.run("charges", "show", job).stdout
    up.console.run("stop", job)
    assert up.console.json("charges", "show", job)["ended_at"] > 0
    waiting = up.console.run("charges", "close", job, code=2)
    assert "last report" in waiting.stderr


@pytest.mark.exhaustive
def test_charges__wrong_input__one_line_and_a_remedy(up: UpProcess, host: tuple[str, ...], listing: str) -> None:
    for arguments in (
        ("rent", "--listing", listing, "--duration", "1h", "--storage-gb", "5"),
        ("charges", "set", listing, "--bandwidth", "5000", *host),
        ("charges", "set", listing, "--bandwidth", "cheap", *host),
        ("charges", "show", listing),
        ("charges", "dispute", listing),
    ):
        error, remedy = up.console.run(*arguments, code=2).stderr.splitlines()
        assert error.startswith("error: ") and remedy
