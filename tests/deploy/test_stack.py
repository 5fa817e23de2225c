"""The compose stack in the image that `deploy/Containerfile` makes, on an engine and an empty cluster of its own."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml
from xprocess import XProcess

from indexer.accounts.signing_keys import SigningKey
from tests.deploy import images
from tests.deploy.dashboard import expressions
from tests.deploy.test_alerts import told_as_gone
from tests.docs.pages import ROOT
from tests.e2e.console import Console
from tests.host_agent.docker import engine as engines
from tests.host_agent.docker.engine import OwnEngine
from tests.processes.patience import PATIENCE
from tests.processes.ports import free_ports

pytestmark = pytest.mark.docker
OURS = ("indexer", "api", "keeper", "oracle", "doctor")
WATCHING = ("node-exporter", "prometheus")
SERVICES = ("database", *OURS, *WATCHING)
CHECKED = ("database", "indexer", "api", "keeper", "oracle", "doctor")
JOBS = {"gpu-market-indexer", "gpu-market-api", "gpu-market-keeper", "gpu-market-oracle", "gpu-market-doctor"}
SECONDS = 180
AFTER_INCIDENTS = (
    "dead_letters",
    "seq_gaps",
    "source_failures",
    "connections_dropped",
    "webhook_attempts",
    "keeper_ended",
    "keeper_failed",
    "pass_failures",
    "keeper_role",
    "rpc_errors",
    "expires_timestamp",
    'status=~"5.."',
)
"""Metrics on the dashboard that an empty market does not produce."""
USER, NOBODY = 10_001, 65_534
RULES = yaml.safe_load((ROOT / "deploy/prometheus/alerts.yml").read_text())


@dataclass(frozen=True, slots=True)
class Stack:
    """The stack's containers, its settings and a console of the market's operator."""

    engine: OwnEngine
    folder: Path
    environment: dict[str, str]
    console: Console

    def compose(self, *arguments: str) -> str:
        """Runs docker-compose on the stack."""
        files = ("-f", str(self.folder / "deploy/compose.yaml"), "-f", str(images.HERE / "cluster.yaml"))
        command = ["docker-compose", "--project-name", "stack", *files, *arguments]
        environment = os.environ | {"DOCKER_HOST": self.engine.url} | self.environment
        ended = subprocess.run(
            command, env=environment, cwd=self.folder, capture_output=True, text=True, check=False, timeout=SECONDS
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    def container(self, service: str) -> str:
        """A service's container."""
        return self.compose("ps", "-q", service).strip()

    def state(self, service: str) -> dict[str, Any]:
        """The engine's description of a service's container."""
        return self.engine.inspect(self.container(service))

    def address(self, service: str) -> str:
        """IP address at which the machine reaches a service's container."""
        [network] = self.state(service)["NetworkSettings"]["Networks"].values()
        return str(network["IPAddress"])

    def health(self) -> dict[str, str]:
        """Status of each health check."""
        return {service: self.state(service)["State"]["Health"]["Status"] for service in CHECKED}

    def logs(self, service: str) -> str:
        """The last lines that a service has printed."""
        command = ["docker", "--host", self.engine.url, "logs", "--tail", "30", self.container(service)]
        return subprocess.run(command, check=False, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout

    def get(self, port: str, path: str, **query: str) -> httpx.Response:
        """Answer of a published port."""
        url = f"http://127.0.0.1:{self.environment[port]}{path}"
        return httpx.get(url, params=query, timeout=PATIENCE).raise_for_status()

    def prometheus(self, path: str, **query: str) -> Any:
        """Data in an answer of Prometheus' API."""
        return self.get("PROMETHEUS_PORT", f"/api/v1/{path}", **query).json()["data"]


def until(done: Callable[[], bool], told: Callable[[], str]) -> None:
    """Waits for what containers, which announce nothing to this process, come to."""
    deadline = time.monotonic() + SECONDS
    while not done():
        assert time.monotonic() < deadline, told()
        time.sleep(0.5)


@pytest.fixture(scope="module")
def stack(xprocess: XProcess, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    """The stack on a market that has just been opened, as docs/deploy.md and deploy/README.md say."""
    engines.require()
    images.require()
    folder = tmp_path_factory.mktemp("stack")
    shutil.copytree(ROOT / "deploy", folder / "deploy")
    (folder / "deploy/secrets").mkdir()
    (folder / "metrics").mkdir()
    os.chown(folder / "metrics", USER, USER)
    password = os.urandom(16).hex()
    (folder / "deploy/secrets/database-password").write_text(password)
    (folder / "deploy/secrets/auth-keys").write_text(f"{SigningKey.new()}\n")
    (folder / "deploy/secrets/auth-keys").chmod(0o400)
    os.chown(folder / "deploy/secrets/auth-keys", USER, USER)
    (folder / "deploy/secrets/grafana-password").write_text(os.urandom(16).hex())
    port = free_ports(4)
    environment = {
        "GPU_MARKET_IMAGE": images.IMAGE,
        "GPU_MARKET_CLUSTER": "localnet",
        "GPU_MARKET_RPC_URL": "http://cluster:8899",
        "GPU_MARKET_PROGRAM_ID": "11111111111111111111111111111111",
        "GPU_MARKET_DATABASE_URL": f"postgresql+psycopg://gpu_market:{password}@database/gpu_market",
        "GPU_MARKET_SIGN_IN_DOMAIN": "market.example",
        "GPU_MARKET_SIGN_IN_CHAIN": "solana:localnet",
        "GPU_MARKET_ORACLE_SOURCES": "fixed:0.05",
        "METRICS_FOLDER": str(folder / "metrics"),
        "API_PORT": str(port),
        "INDEXER_METRICS_PORT": str(port + 1),
        "KEEPER_METRICS_PORT": str(port + 2),
        "PROMETHEUS_PORT": str(port + 3),
    }
    with engines.running(xprocess) as engine:
        images.build_market(engine)
        made = Stack(engine, folder, environment, Console(folder / "home"))
        try:
            made.compose("up", "-d", "cluster")
            _open_market(made)
            made.compose("up", "-d", *SERVICES)
            yield made
        finally:
            made.compose("down", "--volumes", "--timeout", "5")


def _open_market(stack: Stack) -> None:
    url, console, file = f"http://{stack.address('cluster')}:8899", stack.console, str(stack.folder / "market.toml")

    def answers() -> bool:
        try:
            return httpx.post(url, json={"jsonrpc": "2.0", "id": 1, "method": "getHealth"}, timeout=PATIENCE).is_success
        except httpx.HTTPError:
            return False

    until(answers, lambda: stack.logs("cluster"))
    console.run("deploy", "init", file, "--cluster", "localnet")
    authority = console.json("deploy", file, "--dry-run", "--rpc", url)["authority"]
    console.run("wallet", "airdrop", "100", "--to", authority, "--rpc", url)
    stack.environment["GPU_MARKET_PROGRAM_ID"] = console.json("deploy", file, "--yes", "--rpc", url)["program_id"]
    secrets = stack.folder / "deploy/secrets"
    console.run("wallet", "new", str(secrets / "keeper.json"))
    shutil.copyfile(stack.folder / "keys/oracle.json", secrets / "oracle.json")
    for name in ("keeper.json", "oracle.json"):
        os.chown(secrets / name, USER, USER)
        (secrets / name).chmod(0o400)
        console.run("wallet", "airdrop", "1", "--keypair", str(secrets / name), "--rpc", url)


def test_stack__as_documented__is_healthy_and_serves(stack: Stack) -> None:
    until(
        lambda: set(stack.health().values()) == {"healthy"},
        lambda: "\n".join(f"{service}: {stack.logs(service)}" for service in CHECKED),
    )
    assert stack.get("API_PORT", "/health").json()["status"] == "ok"
    tokens = stack.get("API_PORT", "/api/tokens").json()["tokens"]
    assert len(tokens) == 3 and {"GPUM", "SOL"} < {token["token"] for token in tokens}
    assert "gpu_market_indexer_lag_seconds" in stack.get("INDEXER_METRICS_PORT", "/metrics").text
    assert "gpu_market_keeper_last_pass_timestamp_seconds" in stack.get("KEEPER_METRICS_PORT", "/metrics").text
    assert "gpu_market_doctor_findings" in (stack.folder / "metrics/gpu-market.prom").read_text()
    assert "GPUM" in stack.logs("oracle")


def test_stack__prometheus__reads_every_service_and_answers_the_dashboard(stack: Stack) -> None:
    def targets() -> dict[str, str]:
        return {each["labels"]["job"]: each["health"] for each in stack.prometheus("targets")["activeTargets"]}

    until(lambda: targets() == dict.fromkeys(JOBS, "up"), lambda: json.dumps(stack.prometheus("targets")))
    assert len(stack.prometheus("rules")["groups"]) == len(RULES["groups"]) + 1, "and what is expected"

    def empty() -> list[str]:
        asked = [each for each in expressions() if not any(name in each for name in AFTER_INCIDENTS)]
        assert len(asked) > 30
        return [each for each in asked if not stack.prometheus("query", query=each)["result"]]

    until(lambda: not empty(), lambda: json.dumps(empty()))
    for expression in expressions():
        stack.prometheus("query", query=expression)
    gone = {
        metric
        for job, metric in told_as_gone()
        if job in JOBS and not stack.prometheus("query", query=f'{metric}{{job="{job}"}}')["result"]
    }
    assert gone == {"gpu_market_doctor_expires_timestamp_seconds"}, "market.example has no certificate"
    known = set(stack.prometheus("label/__name__/values"))
    assert {
        "gpu_market_indexer_lag_seconds",
        "gpu_market_api_request_seconds_bucket",
        "gpu_market_keeper_balance_lamports",
        "gpu_market_doctor_findings",
    } < known


def test_stack__each_but_the_database__runs_as_nobody_on_a_read_only_root(stack: Stack) -> None:
    for service in (*OURS, *WATCHING):
        user, state = NOBODY if service == "prometheus" else USER, stack.state(service)
        assert state["Config"]["User"] == f"{user}:{user}", service
        assert state["HostConfig"]["ReadonlyRootfs"] and state["HostConfig"]["CapDrop"] == ["ALL"]
        status = stack.engine.run_in(state["Id"], "cat", "/proc/1/status")
        told = dict(line.split(":\t", 1) for line in status.splitlines() if ":\t" in line)
        assert set(told["Uid"].split()) == {str(user)} and int(told["CapEff"], 16) == 0 and told["NoNewPrivs"] == "1"


def test_stack__stopped_and_started__ends_in_order_and_goes_on(stack: Stack) -> None:
    names = {service: stack.container(service) for service in OURS}
    stack.compose("stop", *names)
    codes = {service: stack.engine.inspect(name)["State"]["ExitCode"] for service, name in names.items()}
    assert codes.pop("doctor") in (0, 1), "1 for a failure in its last look: the index begins after it"
    assert codes == dict.fromkeys(codes, 0)
    stack.compose("start", *names)
    until(lambda: set(stack.health().values()) == {"healthy"}, lambda: json.dumps(stack.health()))
    assert stack.get("API_PORT", "/api/tokens").json()["tokens"]
