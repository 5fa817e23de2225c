"""Prometheus and Grafana: they read services that exist, by names that these export."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterable, Iterator
from itertools import combinations
from pathlib import Path
from typing import Any

import yaml
from prometheus_client import REGISTRY, CollectorRegistry
from prometheus_client.core import Metric
from prometheus_client.parser import text_string_to_metric_families

from anchor_client.doctor.finding import Finding, Level
from indexer.index.lag import Lag
from indexer.metrics import API, INDEX
from indexer.status import Status
from keeper.metrics import KeeperMetrics
from market_cli.commands.deploy.findings import write_metrics
from tests.deploy.dashboard import DASHBOARD, expressions, panels
from tests.deploy.test_alerts import RULES, judged, promtool
from tests.deploy.test_files import COMPOSE, DEPLOY

__all__ = ["promtool"]
CONFIG: dict[str, Any] = yaml.safe_load((DEPLOY / "prometheus/prometheus.yml").read_text())
SUFFIXES = {"counter": ("_total",), "histogram": ("_bucket", "_count", "_sum"), "gauge": ("",)}
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


def names_of(families: Iterable[Metric]) -> set[str]:
    """The names of samples, also of metrics without any yet."""
    return {family.name + suffix for family in families for suffix in SUFFIXES.get(family.type, ())}


def told(folder: Path) -> set[str]:
    """Every name that a service of ours tells Prometheus."""
    write_metrics(folder / "doctor.prom", [Finding("prices", Level.OK, "All are fresh.")])
    doctor = text_string_to_metric_families((folder / "doctor.prom").read_text())
    registries: list[CollectorRegistry] = [INDEX, API, KeeperMetrics().registry, REGISTRY]
    lag = Lag(Status(), lambda: 0).collect()
    return names_of([*doctor, *lag, *(family for each in registries for family in each.collect())])


def named(text: str) -> set[str]:
    return set(re.findall(r"\bgpu_market_\w+", text))


def test_names__of_dashboard_and_alerts__are_told_by_a_service(tmp_path: Path) -> None:
    known = told(tmp_path)
    assert "gpu_market_indexer_lag_seconds" in known and "gpu_market_rpc_requests_total" in known
    assert named("\n".join(expressions())) - known == set()
    alerts = [rule["expr"] for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]]
    assert named("\n".join(alerts)) - known == set()


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


def test_prometheus__configuration__is_sound(promtool: str, tmp_path: Path) -> None:
    shutil.copytree(DEPLOY / "prometheus", tmp_path / "prometheus")
    file = tmp_path / "prometheus/prometheus.yml"
    [rules] = CONFIG["rule_files"]
    mounted = dict(mount.split(":")[:2] for mount in COMPOSE["services"]["prometheus"]["volumes"])["./prometheus"]
    file.write_text(file.read_text().replace(mounted, str(file.parent)))
    assert rules.startswith(mounted) and "SUCCESS" in judged(promtool, "check", "config", str(file))


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
    for job, service, port in targets():
        command = COMPOSE["services"][service]["command"]
        own = OWN_PORT.get(service)
        assert port == (own or int(command[command.index("--metrics-port") + 1])), job
        host = COMPOSE["services"][service].get("environment", {}).get("GPU_MARKET_METRICS_HOST")
        assert own or host == "0.0.0.0", "it is read from another container"
    jobs = {job for job, _, _ in targets()}
    asked = set(re.findall(r'job="([^"]+)"', RULES.read_text()))
    assert asked <= jobs
