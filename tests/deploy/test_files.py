"""Files that run a market unattended name commands, options and settings that exist."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from host_agent.agent import IDLE_LOOK_SECONDS
from indexer.settings import IndexerSettings
from keeper.settings import KeeperSettings
from market_cli.settings.keys import known_variables
from scripts.lock import PINNED
from tests.docs.pages import ROOT
from tests.docs.test_commands import problem

DEPLOY = ROOT / "deploy"
COMPOSE: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
MANIFEST_TEXT = (DEPLOY / "kubernetes/market.yaml").read_text()
MANIFESTS: list[dict[str, Any]] = list(yaml.safe_load_all(MANIFEST_TEXT))
TOPIC: dict[str, Any] = yaml.safe_load((DEPLOY / "compose.kafka.yaml").read_text())
TOPIC_MANIFESTS: list[dict[str, Any]] = list(yaml.safe_load_all((DEPLOY / "kubernetes/kafka.yaml").read_text()))
UNITS = sorted((DEPLOY / "systemd").glob("*.service"))
NODE_EXPORTER = 9100
OTHERS = {"database", "node-exporter", "prometheus", "grafana"}
"""Services of the compose file that are not ours."""


def containers() -> Iterator[tuple[str, dict[str, Any], dict[str, Any]]]:
    """The kind of each workload, its pod and its container."""
    for manifest in MANIFESTS:
        spec = manifest.get("spec", {})
        spec = spec.get("jobTemplate", {}).get("spec", spec)
        pod = spec.get("template", {}).get("spec")
        if pod is not None:
            yield manifest["kind"], pod, pod["containers"][0]


def commands() -> Iterator[str]:
    for name, service in COMPOSE["services"].items():
        if name not in OTHERS:
            yield shlex.join(map(str, service["command"]))
    yield shlex.join(TOPIC["services"]["source"]["command"])
    for manifest in TOPIC_MANIFESTS:
        if (manifest["kind"], manifest["metadata"]["name"]) == ("StatefulSet", "gpu-market-source"):
            yield shlex.join(manifest["spec"]["template"]["spec"]["containers"][0]["args"])
    for unit in UNITS:
        yield re.findall(r"^ExecStart=\S+/gpu-market (.*)$", unit.read_text(), re.MULTILINE)[0]
    for _, _, container in containers():
        yield shlex.join(map(str, container["args"]))


def test_commands__each__exists() -> None:
    found = {command: problem(command) for command in commands()}
    assert len(found) > 8 and {command: wrong for command, wrong in found.items() if wrong} == {}


def test_settings__each__exists() -> None:
    files = [path for path in DEPLOY.rglob("*") if path.is_file() and path.name != "README.md"]
    used = {name for path in files for name in re.findall(r"\bGPU_MARKET_[A-Z_]+", path.read_text())}
    assert used - known_variables() == set()


def test_image__runs_as_nobody_and_says_whether_it_is_healthy() -> None:
    text = (DEPLOY / "Containerfile").read_text()
    assert "\nUSER 10001:10001\n" in text and "\nHEALTHCHECK " in text


def test_image__its_packages__have_the_versions_of_the_tests() -> None:
    assert re.findall(r"pip install .*", (DEPLOY / "Containerfile").read_text()) == [
        f'pip install --no-cache-dir ".[{PINNED}]"'
    ]


def test_compose__each_service_but_the_database__is_confined() -> None:
    for name, service in COMPOSE["services"].items():
        if name != "database":
            assert service["read_only"] and service["cap_drop"] == ["ALL"], name
            assert service["security_opt"] == ["no-new-privileges:true"], name
        for port in service.get("ports", []):
            assert port.startswith("127.0.0.1:"), "a reverse proxy stands before what is public"


def test_compose__passwords_and_keys__are_secrets_that_the_readme_names() -> None:
    readme = (DEPLOY / "README.md").read_text()
    secrets = COMPOSE["secrets"]
    used = {secret for service in COMPOSE["services"].values() for secret in service.get("secrets", [])}
    assert used == secrets.keys()
    for secret in secrets.values():
        assert Path(secret["file"]).name in readme
    variables = [service.get("environment", {}) for service in COMPOSE["services"].values()]
    told = {name: value for each in variables for name, value in each.items() if "PASSWORD" in name or "KEY" in name}
    assert told and all(value.startswith("/run/secrets/") for value in told.values())


def test_manifests__each_pod__is_confined_and_each_service_probed() -> None:
    for kind, pod, container in containers():
        assert pod["securityContext"]["runAsNonRoot"] and not pod["automountServiceAccountToken"]
        assert pod["enableServiceLinks"] is False, "a service's variables would be taken for misspelt settings"
        assert container["securityContext"]["readOnlyRootFilesystem"]
        assert container["resources"]["limits"]["memory"]
        if kind in ("Deployment", "StatefulSet") and "ports" in container:
            assert {"startupProbe", "readinessProbe", "livenessProbe"} <= container.keys()


def manifest(kind: str, name: str) -> dict[str, Any]:
    manifests = (*MANIFESTS, *TOPIC_MANIFESTS)
    [found] = [each for each in manifests if (each["kind"], each["metadata"]["name"]) == (kind, name)]
    return found


def test_manifests__the_index__has_a_single_writer() -> None:
    writers = [container for _, _, container in containers() if container["args"][:2] == ["indexer", "run"]]
    spec = manifest("Deployment", "gpu-market-indexer")["spec"]
    assert writers == [spec["template"]["spec"]["containers"][0]]
    assert spec["replicas"] == 1 and spec["strategy"] == {"type": "Recreate"}, "the old one ends before the new begins"


def test_manifests__the_api__is_never_without_a_replica_and_all_take_the_same_tokens() -> None:
    spec = manifest("Deployment", "gpu-market-api")["spec"]
    assert spec["replicas"] == 2 and spec["strategy"]["rollingUpdate"]["maxUnavailable"] == 0
    assert manifest("PodDisruptionBudget", "gpu-market-api")["spec"]["minAvailable"] == 1
    pod = spec["template"]["spec"]
    [container] = pod["containers"]
    variables = {each["name"]: each["value"] for each in container["env"]}
    mounts = {each["name"]: each["mountPath"] for each in container["volumeMounts"]}
    [keys] = [volume for volume in pod["volumes"] if "secret" in volume]
    assert variables["GPU_MARKET_AUTH_KEYS_FILE"].startswith(mounts[keys["name"]])
    assert not any("persistentVolumeClaim" in volume for volume in pod["volumes"])
    url = manifest("ConfigMap", "gpu-market")["data"]["GPU_MARKET_API_URL"]
    [port] = manifest("Service", "gpu-market-api")["spec"]["ports"]
    assert url == f"http://gpu-market-api:{port['port']}" and port["port"] in {
        each["containerPort"] for each in container["ports"]
    }


def test_manifests__keepers__take_turns_by_a_lock_in_the_database() -> None:
    spec = manifest("StatefulSet", "gpu-market-keeper")["spec"]
    assert spec["replicas"] > 1
    [container] = spec["template"]["spec"]["containers"]
    [lock] = [each for each in container["env"] if each["name"] == "GPU_MARKET_LEADER_LOCK"]
    assert lock["valueFrom"]["secretKeyRef"] == {"name": "gpu-market-database", "key": "GPU_MARKET_DATABASE_URL"}
    [claim] = spec["volumeClaimTemplates"]
    assert claim["metadata"]["name"] in {each["name"] for each in container["volumeMounts"]}, "a journal of its own"


def test_manifests__what_selects_pods__finds_some() -> None:
    labels = [
        each["spec"]["template"]["metadata"]["labels"] for each in MANIFESTS if "template" in each.get("spec", {})
    ]
    selectors = [
        each["spec"]["selector"].get("matchLabels", each["spec"]["selector"])
        for each in MANIFESTS
        if "selector" in each.get("spec", {})
    ]
    assert len(selectors) > len(labels)
    for selector in selectors:
        assert sum(selector.items() <= each.items() for each in labels) == 1, selector


def test_manifests__each_secret__is_made_in_the_readme() -> None:
    used = set(re.findall(r"(?:secretName|secretRef: {name|secretKeyRef: {name): ([a-z-]+)", MANIFEST_TEXT))
    made = set(re.findall(r"kubectl create secret generic ([a-z-]+)", (DEPLOY / "README.md").read_text()))
    assert used == made


def test_topic__its_services__are_confined_and_the_index_reads_what_the_source_writes() -> None:
    services = TOPIC["services"]
    for name in ("broker", "source"):
        assert services[name]["cap_drop"] == ["ALL"] and "ports" not in services[name], name
    servers = {services[name]["environment"]["GPU_MARKET_KAFKA_SERVERS"] for name in ("source", "indexer")}
    assert servers == {"broker:9092"} and services["indexer"]["environment"]["GPU_MARKET_SOURCE"] == "kafka"


def test_topic__on_kubernetes__outlives_a_broker_and_its_sources_keep_their_names() -> None:
    sets = {each["metadata"]["name"]: each["spec"] for each in TOPIC_MANIFESTS if each["kind"] == "StatefulSet"}
    [broker] = sets["gpu-market-kafka"]["template"]["spec"]["containers"]
    told = {each["name"]: each.get("value") for each in broker["env"]}
    assert sets["gpu-market-kafka"]["replicas"] == 3
    copies = told["KAFKA_DEFAULT_REPLICATION_FACTOR"], told["KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR"]
    assert copies == ("3", "3") and told["KAFKA_MIN_INSYNC_REPLICAS"] == "2"
    assert sets["gpu-market-source"]["replicas"] > 1
    for spec in sets.values():
        pod = spec["template"]["spec"]
        assert pod["securityContext"]["runAsNonRoot"] and not pod["automountServiceAccountToken"]
        assert pod["enableServiceLinks"] is False


def test_units__on_one_machine__listen_on_ports_of_their_own() -> None:
    flags = [re.findall(r"--port (\d+)|--metrics-port (\d+)", unit.read_text()) for unit in UNITS]
    ports = [int(port or metrics) for found in flags for port, metrics in found]
    assert len(ports) == 5 and len({*ports, IndexerSettings().port, NODE_EXPORTER}) == 7


def test_unit__each_service__says_when_it_serves_and_is_watched_for_longer_than_it_waits() -> None:
    waits = {
        "indexer": IndexerSettings.idle_interval,
        "keeper": KeeperSettings.idle_interval_seconds,
        "host": IDLE_LOOK_SECONDS,
        "oracle": 0,  # it gives signs of life while it waits
    }
    for name, longest in waits.items():
        unit = (DEPLOY / f"systemd/gpu-market-{name}.service").read_text()
        [minutes] = re.findall(r"^WatchdogSec=(\d+)min$", unit, re.MULTILINE)
        assert int(minutes) * 60 > 2 * longest, name
    notifying = {unit.name for unit in UNITS if "\nType=notify\n" in unit.read_text()}
    assert notifying == {f"gpu-market-{name}.service" for name in (*waits, "api")}


@pytest.mark.parametrize("unit", [*UNITS, *(DEPLOY / "systemd").glob("*.timer")], ids=lambda path: path.name)
def test_unit__each__is_understood_by_systemd(unit: Path, tmp_path: Path) -> None:
    if shutil.which("systemd-analyze") is None:
        pytest.skip("there is no systemd-analyze")
    for path in (DEPLOY / "systemd").iterdir():
        (tmp_path / path.name).write_text(path.read_text().replace("/usr/local/bin/gpu-market", "/bin/true"))
    (tmp_path / "docker.service").write_text("[Service]\nExecStart=/bin/true\n")  # a host has one; this machine may not
    done = subprocess.run(
        ["systemd-analyze", "verify", str(tmp_path / unit.name)], capture_output=True, text=True, check=False
    )
    told = [line for line in done.stderr.splitlines() if unit.name in line]
    assert told == [] and "Unknown" not in done.stderr
