"""`gpu-market up` as a process: what it serves, that it stops cleanly, and what survives."""

from __future__ import annotations

import os
import signal
import socket
import stat
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import urlopen

import httpx
import psutil
import pytest

from tests.e2e.console import Console
from tests.e2e.seeded import UpProcess
from tests.processes.patience import PATIENCE
from tests.sweeps import sampled

StartUp = Callable[..., UpProcess]
STOP_SECONDS = 30


def _stop_cleanly(process: UpProcess, number: signal.Signals) -> None:
    running = psutil.Process(process.pid)
    os.kill(process.pid, number)
    gone, alive = psutil.wait_procs([running], timeout=STOP_SECONDS)
    assert alive == []
    assert [ended.returncode for ended in gone] in ([0], [None])
    assert "Traceback" not in process.log.read_text()
    assert not (process.console.home / "state" / "gpu-market" / "running.json").exists()
    with socket.socket() as probe:
        port = int(process.ready["rpc_url"].rpartition(":")[2])
        assert probe.connect_ex(("127.0.0.1", port)) != 0


@pytest.mark.xdist_group("up")
def test_up__started__serves_everything_it_names(up: UpProcess) -> None:
    ready = up.ready
    assert ready["pid"] == up.pid
    assert "indexer ready" not in up.log.read_text(), "services log errors alone"
    assert stat.S_IMODE(Path(ready["wallet"]).stat().st_mode) == 0o600
    for path in ("/api/gpus", "/docs", "/health"):
        with urlopen(f"{ready['api_url']}{path}", timeout=PATIENCE) as answer:
            assert answer.status == 200
    for service, url in ready["metrics"].items():
        with urlopen(url, timeout=PATIENCE) as answer:
            assert f"gpu_market_{service}_" in answer.read().decode()
    shown = up.console.json("config", "show")
    assert shown["rpc_url"] == ready["rpc_url"]
    assert shown["api_url"] == ready["api_url"]


@pytest.mark.xdist_group("up")
@pytest.mark.parametrize(
    "headers",
    [
        {"Origin": "https://page.example"},
        {"Origin": "http://localhost:9999"},
        {"Origin": "null"},
        {"Host": "page.example", "Origin": "http://page.example"},
    ],
    ids=["page", "page on another port", "page without an origin", "name pointed here"],
)
def test_up__web_page_of_another_origin__reads_and_changes_nothing(up: UpProcess, headers: dict[str, str]) -> None:
    with httpx.Client(base_url=up.ready["api_url"], headers=headers, timeout=PATIENCE) as page:
        for path in ("/api/gpus", "/api/auth/me", "/"):
            assert page.get(path).status_code == 403
        asked = page.options("/api/webhooks", headers={"Access-Control-Request-Method": "POST"})
        assert asked.status_code == 403 and "access-control-allow-origin" not in asked.headers
        assert page.post("/api/faucet", json={"wallet": up.ready["wallet"]}).json()["error"].startswith("foreign_")
    for method in ("getVersion", "requestAirdrop", "sendTransaction", "cheat_warp"):
        call = {"jsonrpc": "2.0", "id": 1, "method": method, "params": []}
        answer = httpx.post(up.ready["rpc_url"], json=call, headers=headers, timeout=PATIENCE)
        assert answer.status_code == 403 and "access-control-allow-origin" not in answer.headers


@pytest.mark.xdist_group("up")
def test_up__its_own_page_and_a_wallet__use_the_cluster(up: UpProcess) -> None:
    api = urlsplit(up.ready["api_url"])
    call = {"jsonrpc": "2.0", "id": 1, "method": "getVersion"}
    for origin in (up.ready["api_url"], f"http://localhost:{api.port}", "chrome-extension://wallet"):
        answer = httpx.post(up.ready["rpc_url"], json=call, headers={"Origin": origin}, timeout=PATIENCE)
        assert answer.is_success and answer.headers["access-control-allow-origin"] == origin


@pytest.mark.exhaustive
def test_up__interrupted_and_started_again__goes_on_where_it_was(start_up: StartUp, tmp_path: Path) -> None:
    console = Console(tmp_path)
    first = start_up(console, tmp_path / "market")
    rented = console.lines("rent", "--gpu", "nvidia-h100-pcie-80gb", "--duration", "2h", "--wait")[0]
    _stop_cleanly(first, signal.SIGINT)
    second = start_up(console, tmp_path / "market")
    assert second.ready["wallet"] == first.ready["wallet"]
    assert second.ready["tokens"] == first.ready["tokens"]
    assert [job["id"] for job in console.json("jobs")] == [rented["id"]]
    ended = console.json("stop", rented["id"])
    assert ended["status"] == "completed"
    assert int(ended["cost"]) + int(ended["refunded"]) == int(rented["deposit"])


@pytest.mark.exhaustive
def test_up__terminated_and_reset__starts_from_an_empty_market(start_up: StartUp, tmp_path: Path) -> None:
    console = Console(tmp_path)
    first = start_up(console, tmp_path / "market")
    console.run("rent", "--gpu", "nvidia-h100-pcie-80gb", "--duration", "2h")
    _stop_cleanly(first, signal.SIGTERM)
    second = start_up(console, tmp_path / "market", "--reset")
    assert second.ready["tokens"]["GPUM"] != first.ready["tokens"]["GPUM"]
    assert console.json("jobs", "--all") == []


@pytest.mark.xdist_group("up")
def test_up__same_directory_twice__second_is_refused(up: UpProcess) -> None:
    done = up.console.run("up", "--data", up.ready["data"], "--port", "0", "--rpc-port", "0", code=2)
    assert "runs in" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(("option", "what"), sampled([("--port", "API"), ("--rpc-port", "RPC")], every=2))
def test_up__port_taken__is_named(tmp_path: Path, option: str, what: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        other = {"--port": "--rpc-port", "--rpc-port": "--port"}[option]
        arguments = ("up", "--data", str(tmp_path / "market"), option, str(port), other, "0")
        done = Console(tmp_path).run(*arguments, code=2)
    assert str(port) in done.stderr
    assert what in done.stderr
    assert "Traceback" not in done.stderr
