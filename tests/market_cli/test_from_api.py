"""Listings and figures that the command line asks the market's API for, and figures that it hands over to it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from solders.keypair import Keypair
from solders.signature import Signature

from anchor_client.machine.figures import Figures, SignedFigures
from anchor_client.resources.listing import Measured
from market_cli.main import main
from tests.host_agent.detect.test_gpus import SMI, install
from tests.markets.marketplace import SOL, TOKEN, Marketplace, spec
from tests.processes.downloads import megabyte
from tests.processes.ports import free_ports

LISTINGS = "/api/marketplace/listings"
MEASURED = dict.fromkeys(Measured.names(), 1) | {"tested": True, "driver": "570.86.15", "network_mbps": None}


class Api:
    """Answers listings, in lists two to a page, with what it is told; keeps what it is asked for."""

    def __init__(self) -> None:
        self.rows: list[dict[str, Any]] = []
        self.asked: list[dict[str, list[str]]] = []
        self.put: dict[str, dict[str, Any]] = {}

    def answer(self, path: str) -> tuple[int, dict[str, Any]]:
        address = urlsplit(path).path.removeprefix(LISTINGS).strip("/")
        return self._one(address) if address else (200, self._page(path))

    def _one(self, address: str) -> tuple[int, dict[str, Any]]:
        row = next((row for row in self.rows if row["id"] == address), None)
        refusal = {"error": "listing_not_found", "detail": "There is none.", "remedy": "Look."}
        return (404, refusal) if row is None else (200, row)

    def _page(self, path: str) -> dict[str, Any]:
        query = parse_qs(urlsplit(path).query)
        self.asked.append(query)
        start = int(query.get("cursor", ["0"])[0])
        following = str(start + 2) if start + 2 < len(self.rows) else None
        return {"listings": self.rows[start : start + 2], "next_cursor": following}


@pytest.fixture
def api(marketplace: Marketplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Api]:
    """An API of the market's, which the command line is configured with."""
    api = Api()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            status, document = api.answer(self.path)
            body = json.dumps(document).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def do_PUT(self) -> None:
            api.put[self.path] = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(200)
            self.send_header("Content-Length", "2")
            self.end_headers()
            self.wfile.write(b"{}")

        def log_message(self, format: str, *args: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME"):
            monkeypatch.setenv(name, str(tmp_path))
        monkeypatch.setenv("GPU_MARKET_WS_URL", marketplace.cluster.ws_url)
        monkeypatch.setenv("GPU_MARKET_API_URL", f"http://127.0.0.1:{server.server_port}")
        yield api
        server.shutdown()
        thread.join()


async def printed(marketplace: Marketplace, capfd: pytest.CaptureFixture[str], *command: str) -> tuple[str, str]:
    """Runs a command, which must work; returns both outputs without the breaks between their words."""
    code = await asyncio.to_thread(main, ["--rpc", marketplace.cluster.rpc_url, *command])
    told = capfd.readouterr()
    assert code == 0, told
    return " ".join(told.out.split()), " ".join(told.err.split())


async def run(marketplace: Marketplace, capfd: pytest.CaptureFixture[str], *command: str) -> list[dict[str, Any]]:
    """Runs a command; returns the JSON that it prints."""
    found: list[dict[str, Any]] = json.loads((await printed(marketplace, capfd, "--json", *command))[0])
    return found


async def test_listings__verified__are_those_that_the_api_names(
    marketplace: Marketplace, api: Api, capfd: pytest.CaptureFixture[str]
) -> None:
    machines = await marketplace.add_machines(4)
    api.rows = [
        {"id": str(each), "verified": True, "issues_reported": 7, "measured": MEASURED} for each in machines[:3]
    ]
    found = await run(marketplace, capfd, "listings", "--verified")
    assert {each["id"] for each in found} == {str(each) for each in machines[:3]}
    assert {(each["verified"], each["issues_reported"]) for each in found} == {(True, 7)}
    assert all(each["measured"] == MEASURED for each in found)
    assert [query["verified"] for query in api.asked] == [["true"], ["true"]]
    everything = await run(marketplace, capfd, "listings")
    assert len(everything) > 3 and {each["verified"] for each in everything} == {None} and len(api.asked) == 2


async def test_gpus__verified__count_those_that_the_api_names(
    marketplace: Marketplace, api: Api, capfd: pytest.CaptureFixture[str]
) -> None:
    machines = await marketplace.add_machines(2)
    api.rows = [{"id": str(machines[0]), "verified": True, "issues_reported": 0, "measured": None}]
    assert sum(gpu["listed"] for gpu in await run(marketplace, capfd, "gpus", "--verified")) == 1
    assert sum(gpu["listed"] for gpu in await run(marketplace, capfd, "gpus")) > 1


async def test_listings__measured_figures__are_asked_of_the_api(
    marketplace: Marketplace, api: Api, capfd: pytest.CaptureFixture[str]
) -> None:
    least = {"min_driver": "550", "min_tflops": "60", "min_disk_mbps": "900", "min_network_mbps": "800"}
    options = [word for name, value in least.items() for word in (f"--{name.replace('_', '-')}", value)]
    assert await run(marketplace, capfd, "listings", *options) == []
    assert api.asked == [{name: [value] for name, value in least.items()} | {"limit": ["100"]}]


async def test_rent__verified__is_a_machine_that_the_api_names(
    marketplace: Marketplace, api: Api, capfd: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    cheap, dear = await marketplace.add_machines(2)
    renter = await marketplace.renter(gpum=100 * TOKEN, usdc=0, lamports=SOL)
    key = tmp_path / "renter.json"
    key.write_text(renter.to_json())
    api.rows = [{"id": str(dear), "verified": True, "issues_reported": 0, "measured": None}]
    order = ("rent", "--verified", "--min-driver", "550", "--duration", "1h", "--keypair", str(key))
    job: Any = await run(marketplace, capfd, *order)
    assert job["listing"] == str(dear) != str(cheap)
    assert [(query["verified"], query["min_driver"]) for query in api.asked] == [(["true"], ["550"])]


async def test_listing__known_to_the_api__shows_whether_it_is_verified_and_what_its_host_measured(
    marketplace: Marketplace, api: Api, capfd: pytest.CaptureFixture[str]
) -> None:
    [listing] = await marketplace.add_machines(1)
    measured = MEASURED | {"fp32_gflops": 82_600, "pcie_generation": 4, "pcie_width": 16, "disk_mbps": 2_100}
    api.rows = [{"id": str(listing), "verified": True, "issues_reported": 2, "measured": measured}]
    told: Any = await run(marketplace, capfd, "listing", str(listing))
    assert (told["verified"], told["issues_reported"], told["measured"]) == (True, 2, measured)
    text, _ = await printed(marketplace, capfd, "listing", str(listing))
    assert "verified yes" in text
    assert "driver 570.86.15, PCIe 4.0 x16, 82.6 TFLOPS FP32" in text and "disk 2100 MB/s" in text
    assert "1970-01-01" in text and "download" not in text

    api.rows = [{"id": str(listing), "verified": False, "issues_reported": 0, "measured": None}]
    text, _ = await printed(marketplace, capfd, "listing", str(listing))
    assert "not yet" in text and "nothing measured by its host" in text


@pytest.mark.parametrize("why", ["does not know", "cannot be reached", None])
async def test_listing__not_told_by_an_api__says_what_is_not_known(
    marketplace: Marketplace,
    api: Api,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    why: str | None,
) -> None:
    [listing] = await marketplace.add_machines(1)
    if why is None:
        monkeypatch.delenv("GPU_MARKET_API_URL")
    elif why == "cannot be reached":
        monkeypatch.setenv("GPU_MARKET_API_URL", f"http://127.0.0.1:{free_ports()}")
    told: Any = await run(marketplace, capfd, "listing", str(listing))
    assert (told["verified"], told["measured"]) == (None, None)
    text, warned = await printed(marketplace, capfd, "listing", str(listing))
    assert text.count("not known without the market's API") == 2
    assert warned == "" if why is None else why in warned


async def test_measure__machine_of_the_listing__publishes_what_its_operator_signs(
    marketplace: Marketplace,
    api: Api,
    tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    install(tmp_path / "bin", SMI, monkeypatch)
    (tmp_path / "libcuda.so.1").touch()
    monkeypatch.setenv("LD_LIBRARY_PATH", str(tmp_path))
    (tmp_path / "id.json").write_text(marketplace.host.to_json())
    machine = spec("nvidia-rtx-4090-24gb")
    own = ("--keypair", str(tmp_path / "id.json"), "--disk-path", str(tmp_path))
    async with marketplace.market(marketplace.host) as market:
        listing = await market.host.create_listing(machine)
        with megabyte() as url:
            told: Any = await run(marketplace, capfd, "host", "measure", str(listing), "--download", url, *own)
        await market.host.close_listing(listing)
    [(path, put)] = api.put.items()
    assert path == f"/api/marketplace/listings/{listing}/figures"
    figures = Figures(**put["figures"])
    signed = SignedFigures(listing, figures, put["signed_at"], Signature.from_string(put["signature"]))
    signed.verify(marketplace.host.pubkey())
    assert told["figures"] == put["figures"] and "libcuda.so.1" in told["gpus_unmeasured"]
    assert (figures.driver, figures.fp32_gflops) == ("570.86.15", None)
    assert figures.network_mbps is not None and figures.network_mbps > 0


async def test_measure__another_key_than_the_operators__is_refused(
    marketplace: Marketplace, api: Api, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    [listing] = await marketplace.add_machines(1)
    (tmp_path / "id.json").write_text(Keypair().to_json())
    command = ["--rpc", marketplace.cluster.rpc_url, "host", "measure", str(listing)]
    code = await asyncio.to_thread(main, [*command, "--keypair", str(tmp_path / "id.json")])
    assert code == 2 and f"is served by {marketplace.host.pubkey()}" in " ".join(capfd.readouterr().err.split())
    assert api.put == {}
