"""Prometheus and Grafana: they read services that exist, by names that these export."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
import yaml

from anchor_client.oracle.poster import OracleMetrics
from anchor_client.solana.json_rpc.metrics import LABELS
from indexer.metrics import API, INDEX
from keeper.metrics import KeeperMetrics
from tests.deploy.dashboard import DASHBOARD, expressions, panels
from tests.deploy.telling import families, names_of
from tests.deploy.test_alerts import DOWN, REPLICAS, RULES, judged, promtool
from tests.deploy.test_files import COMPOSE, DEPLOY, MANIFESTS, TOPIC, TOPIC_MANIFESTS, manifest

__all__ = ["promtool"]
CONFIG: dict[str, Any] = yaml.safe_load((DEPLOY / "prometheus/prometheus.yml").read_text())
KUBERNETES: dict[str, Any] = yaml.safe_load((DEPLOY / "kubernetes/prometheus.yml").read_text())
WATCHING: list[dict[str, Any]] = list(yaml.safe_load_all((DEPLOY / "kubernetes/monitoring.yaml").read_text()))
OF_PROMETHEUS = {"job", "instance", "le"}
OWN_PORT = {"node-exporter": 9_100}
SHOWN = {
    "lag": "gpu_market_indexer_lag_seconds",
    "gaps": "gpu_market_indexer_gaps",
    "dead letters": "gpu_market_indexer_dead_letters_total",
    "vault mismatches": "gpu_market_indexer_vault_mismatches",
    "ingestion": "gpu_market_indexer_events_total",
    "latency of the API": "gpu_market_api_request_seconds_bucket",
    "requests": "gpu_market_api_request_seconds_count",
    "clients of the feed": "gpu_market_api_feed_entered_total",
    "rentals overdue": "gpu_market_keeper_oldest_overdue_seconds",
    "keeper's balance": "gpu_market_keeper_balance_lamports",
    "keeper's profit": "gpu_market_keeper_earned_lamports_total",
    "endings": "gpu_market_keeper_ended_total",
    "prices": 'gpu_market_doctor_findings{check="prices"',
    "hosts": 'gpu_market_doctor_findings{check="hosts"',
}


def told(folder: Path) -> set[str]:
    """Every name that a service of ours tells Prometheus."""
    return set().union(*(names_of(told) for told in families(folder).values()))


def named(text: str) -> set[str]:
    return set(re.findall(r"\bgpu_market_\w+", text))


def test_names__of_dashboard_and_alerts__are_told_by_a_service(tmp_path: Path) -> None:
    known = told(tmp_path)
    assert "gpu_market_indexer_lag_seconds" in known and "gpu_market_rpc_requests_total" in known
    assert named("\n".join(expressions())) - known == set()
    alerts = [rule["expr"] for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]
    assert named("\n".join(alerts)) - known == set()


def labels(text: str) -> set[str]:
    """Labels by which expressions choose or group."""
    grouped = {name.strip() for group in re.findall(r"\bby \(([^)]*)\)", text) for name in group.split(",")}
    chosen = re.findall(r"[{,]\s*(\w+)(?:=~|!~|!=|=)", text)
    return {*grouped, *chosen}


def test_labels__of_dashboard_and_alerts__are_those_of_a_service() -> None:
    own = [
        name
        for registry in (INDEX, API, KeeperMetrics().registry, OracleMetrics().registry)
        for collector in registry._collector_to_names
        for name in getattr(collector, "_labelnames", ())
    ]
    alerts = [rule["expr"] for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]
    used = labels("\n".join([*expressions(), *alerts]))
    assert {"route", "status", "check", "level", "room"} < used
    assert used - {*own, *LABELS, "kind", "check", "level", *OF_PROMETHEUS} == set()


def test_dashboard__what_an_operator_asks_for__is_shown() -> None:
    text = "\n".join(expressions())
    assert [what for what, name in SHOWN.items() if name not in text] == []


def test_dashboard__each_expression__is_promql(promtool: str, tmp_path: Path) -> None:
    rules = [{"record": f"panel:{number}", "expr": expression} for number, expression in enumerate(expressions())]
    file = tmp_path / "rules.yml"
    file.write_text(yaml.safe_dump({"groups": [{"name": "dashboard", "rules": rules}]}))
    assert f"{len(rules)} rules found" in judged(promtool, "check", "rules", str(file))


def test_dashboard__panels__have_ids_and_places_of_their_own() -> None:
    ids = [panel["id"] for panel in DASHBOARD["panels"]]
    assert len(set(ids)) == len(ids)
    for one, other in combinations(DASHBOARD["panels"], 2):
        assert not overlap(one["gridPos"], other["gridPos"]), (one["title"], other["title"])
    for panel in panels():
        assert panel["gridPos"]["x"] + panel["gridPos"]["w"] <= 24
        references = [target["refId"] for target in panel["targets"]]
        assert references and len(set(references)) == len(references)
        assert panel["type"] in {"stat", "timeseries"} and panel["title"] and panel["description"]


def overlap(one: dict[str, int], other: dict[str, int]) -> bool:
    return all(
        one[start] < other[start] + other[size] and other[start] < one[start] + one[size]
        for start, size in (("x", "w"), ("y", "h"))
    )


def test_dashboard__source__is_the_one_that_is_provisioned() -> None:
    [source] = yaml.safe_load((DEPLOY / "grafana/provisioning/datasources/prometheus.yml").read_text())["datasources"]
    used = [each["datasource"] for panel in panels() for each in (panel, *panel["targets"])]
    assert all(each == {"type": source["type"], "uid": source["uid"]} for each in used)
    host, _, port = source["url"].removeprefix("http://").partition(":")
    assert host in COMPOSE["services"] and port == COMPOSE["services"][host]["ports"][0].rpartition(":")[2]


def test_provisioning__of_the_dashboard__names_the_folder_that_is_mounted() -> None:
    [provider] = yaml.safe_load((DEPLOY / "grafana/provisioning/dashboards/gpu-market.yml").read_text())["providers"]
    mounts = dict(mount.split(":")[:2] for mount in COMPOSE["services"]["grafana"]["volumes"])
    assert {target: source for source, target in mounts.items()}[provider["options"]["path"]] == "./grafana/dashboards"
    assert mounts["./grafana/provisioning"] == "/etc/grafana/provisioning"


def installed(configuration: Path, folder: Path) -> Path:
    """A configuration with the files that it names beside it."""
    prometheus = folder / "prometheus.yml"
    prometheus.write_text(configuration.read_text().replace("/etc/prometheus", str(folder)))
    shutil.copyfile(RULES, folder / "alerts.yml")
    shutil.copyfile(configuration.parent / "expected.yml", folder / "expected.yml")
    return prometheus


@pytest.mark.parametrize("place", ["prometheus", "kubernetes"])
def test_prometheus__configuration__is_sound(promtool: str, tmp_path: Path, place: str) -> None:
    file = installed(DEPLOY / place / "prometheus.yml", tmp_path)
    told = yaml.safe_load(file.read_text())
    assert told["rule_files"][:2] == [str(tmp_path / "alerts.yml"), str(tmp_path / "expected.yml")]
    assert "SUCCESS" in judged(promtool, "check", "config", str(file))
    mounted = dict(mount.split(":")[:2] for mount in COMPOSE["services"]["prometheus"]["volumes"])
    assert mounted["./prometheus"] == "/etc/prometheus"


def expected(place: str) -> dict[str, int]:
    """Number of each job that must answer."""
    [group] = yaml.safe_load((DEPLOY / place / "expected.yml").read_text())["groups"]
    assert {rule["record"] for rule in group["rules"]} == {"gpu_market:expected"}
    return {rule["labels"]["job"]: int(re.findall(r"vector\((\d+)\)", rule["expr"])[0]) for rule in group["rules"]}


def test_expected__of_kubernetes__are_the_replicas_of_the_manifests() -> None:
    known = {
        each["metadata"]["name"]: each["spec"]["replicas"]
        for each in MANIFESTS
        if each["kind"] in ("Deployment", "StatefulSet")
    }
    assert expected("kubernetes") == {job: known[job] for job in expected("kubernetes")}
    assert expected("prometheus").keys() == expected("kubernetes").keys() == DOWN.keys()
    assert expected("kubernetes") == REPLICAS


def test_expected__of_compose__is_one_of_each() -> None:
    assert set(expected("prometheus").values()) == {1}
    assert not any("deploy" in service for service in COMPOSE["services"].values())


def test_kubernetes__each_target__is_a_service_of_every_pod_that_tells() -> None:
    for job in KUBERNETES["scrape_configs"]:
        [found] = job["dns_sd_configs"]
        [name] = found["names"]
        service = manifest("Service", name)["spec"]
        assert service["clusterIP"] == "None" and service["publishNotReadyAddresses"], "each pod, unwell ones too"
        [pod] = [
            each["spec"]["template"]["spec"]
            for each in (*MANIFESTS, *TOPIC_MANIFESTS)
            if "template" in each.get("spec", {})
            and service["selector"].items() <= each["spec"]["template"]["metadata"]["labels"].items()
        ]
        ports = {port["containerPort"] for container in pod["containers"] for port in container.get("ports", [])}
        assert found["port"] in ports, job
    assert {job["job_name"] for job in KUBERNETES["scrape_configs"]} == {
        job["job_name"] for job in CONFIG["scrape_configs"]
    }


def test_kubernetes__the_doctors_file__is_in_the_folder_that_is_served() -> None:
    doctor, exporter = manifest("Deployment", "gpu-market-doctor")["spec"]["template"]["spec"]["containers"]
    [folder] = [each["mountPath"] for each in doctor["volumeMounts"] if each["name"] == "metrics"]
    assert Path(doctor["args"][doctor["args"].index("--metrics") + 1]).parent == Path(folder)
    assert f"--collector.textfile.directory={folder}" in exporter["args"]
    assert exporter["image"] == COMPOSE["services"]["node-exporter"]["image"]


def test_kubernetes__prometheus__reads_the_files_that_the_readme_puts_there() -> None:
    [stateful] = [each for each in WATCHING if each["kind"] == "StatefulSet"]
    pod = stateful["spec"]["template"]["spec"]
    [container] = pod["containers"]
    assert container["image"] == COMPOSE["services"]["prometheus"]["image"]
    assert pod["securityContext"]["runAsNonRoot"] and container["securityContext"]["readOnlyRootFilesystem"]
    [volume] = [each for each in pod["volumes"] if "configMap" in each]
    made = re.findall(rf"create configmap {volume['configMap']['name']} (.*)", (DEPLOY / "README.md").read_text())
    files = [DEPLOY.parent / file for file in re.findall(r"--from-file=(\S+)", made[-1])]
    rules = {Path(each).name for each in KUBERNETES["rule_files"] if "*" not in each}
    assert {file.name for file in files} == {"prometheus.yml", *rules}
    assert all(file.is_file() for file in files) and DEPLOY / "kubernetes/expected.yml" in files


def targets() -> Iterator[tuple[str, str, int]]:
    """Job, service and port of what is read."""
    for job in CONFIG["scrape_configs"]:
        for found in job.get("static_configs", []):
            for target in found["targets"]:
                service, _, port = target.partition(":")
                yield job["job_name"], service, int(port)
        for found in job.get("dns_sd_configs", []):
            for service in found["names"]:
                yield job["job_name"], service, found["port"]


def test_prometheus__each_target__is_where_a_service_tells() -> None:
    services = {**TOPIC["services"], **COMPOSE["services"]}
    for job, service, port in targets():
        command = services[service]["command"]
        own = OWN_PORT.get(service)
        assert port == (own or int(command[command.index("--metrics-port") + 1])), job
        host = services[service].get("environment", {}).get("GPU_MARKET_METRICS_HOST")
        told = host or (command[command.index("--metrics-host") + 1] if "--metrics-host" in command else None)
        assert own or told == "0.0.0.0", "it is read from another container"
    jobs = {job for job, _, _ in targets()}
    asked = set(re.findall(r'job="([^"]+)"', RULES.read_text()))
    assert asked <= jobs
