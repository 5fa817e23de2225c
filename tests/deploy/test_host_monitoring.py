"""A host's alerts and dashboard: they read what its agent tells, and miss it when it is gone."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families
from solders.pubkey import Pubkey

from anchor_client.generated.constants import USD
from anchor_client.service.monitoring import exposition
from host_agent import metrics as host_metrics
from host_agent.detect.health import GpuHealth, MachineHealth
from host_agent.detect.kernel_log import Xid
from host_agent.metrics import IDLE, RENTED, HostMetrics, MachineGauges
from tests.deploy.telling import names_of
from tests.deploy.test_alerts import judged, promtool
from tests.deploy.test_monitoring import labels, overlap
from tests.docs.pages import ROOT

__all__ = ["promtool"]
RULES = ROOT / "deploy/prometheus/host.yml"
CASES = ROOT / "tests/deploy/host_alerts.yml"
ALERTS: dict[str, dict[str, Any]] = {
    rule["alert"]: rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]
}
DASHBOARD = json.loads((ROOT / "deploy/grafana/dashboards/host.json").read_text())
OF_GPUS = {"gpu_market_host_gpu_celsius", "gpu_market_host_gpu_xid_errors"}
"""Metrics of GPUs that answer: HostGpuLost tells of others."""
PANELS = [panel for panel in DASHBOARD["panels"] if panel["type"] != "row"]


def named(text: str) -> set[str]:
    return set(re.findall(r"\bgpu_market_\w+", text))


def in_alerts() -> str:
    return "\n".join(alert["expr"] for alert in ALERTS.values())


def test_names_and_labels__of_alerts_and_dashboard__are_told_by_the_agent() -> None:
    registry = HostMetrics().registry
    shown = "\n".join(target["expr"] for panel in PANELS for target in panel["targets"])
    assert named(shown) | named(in_alerts()) <= names_of(registry.collect())
    assert labels(shown) | labels(in_alerts()) <= {"state", "gpu", "job", "instance"}


def test_dashboard__panels__have_places_of_their_own_and_name_alerts() -> None:
    for number, one in enumerate(DASHBOARD["panels"]):
        assert not any(overlap(one["gridPos"], other["gridPos"]) for other in DASHBOARD["panels"][number + 1 :])
    told = " ".join(panel["description"] for panel in PANELS)
    assert set(re.findall(r"Host[A-Z]\w+", told)) == ALERTS.keys() - {"HostDown", "HostMetricGone"}


def test_alerts__each__fires_when_it_should_and_no_sooner(promtool: str) -> None:
    assert f"{len(ALERTS)} rules found" in judged(promtool, "check", "rules", str(RULES))
    judged(promtool, "test", "rules", str(CASES))
    cases = [case for test in yaml.safe_load(CASES.read_text())["tests"] for case in test["alert_rule_test"]]
    own = ALERTS.keys() - {"HostMetricGone"}  # the test below has it fire
    assert {case["alertname"] for case in cases if case["exp_alerts"]} == own
    assert {case["alertname"] for case in cases if not case["exp_alerts"]} == ALERTS.keys()


@pytest.mark.parametrize("gone", sorted(named(in_alerts()) - OF_GPUS))
def test_alerts__a_metric_is_gone__is_told(promtool: str, tmp_path: Path, gone: str) -> None:
    told = [{"series": f'{name}{{instance="m"}}', "values": "1x30"} for name in named(in_alerts()) - {gone}]
    up = {"series": 'up{job="gpu-market-host",instance="m"}', "values": "1x30"}
    fired = {
        "exp_labels": {"severity": "ticket", "instance": "m"},
        "exp_annotations": {"summary": "m does not tell all of its metrics"},
    }
    test = {
        "interval": "1m",
        "input_series": [up, *told],
        "alert_rule_test": [{"eval_time": "20m", "alertname": "HostMetricGone", "exp_alerts": [fired]}],
    }
    file = tmp_path / "tests.yml"
    file.write_text(yaml.safe_dump({"rule_files": [str(RULES)], "evaluation_interval": "30s", "tests": [test]}))
    judged(promtool, "test", "rules", str(file))


async def test_gauges__of_a_machine__tell_its_listings_disk_and_gpus(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    found = [GpuHealth("0", "GPU-0", "01:00.0", {"temperature.gpu": "91"}, [Xid("0000:01:00", 79)])]

    async def health(gpus: Sequence[str]) -> MachineHealth:
        return MachineHealth(found)

    async def roots() -> list[Path]:
        return [tmp_path]

    def states() -> Mapping[Pubkey, str]:
        return {Pubkey.new_unique(): RENTED, Pubkey.new_unique(): IDLE}

    monkeypatch.setattr(host_metrics, "gpu_health", health)
    metrics = HostMetrics()
    gauges = MachineGauges(metrics, roots, ("all",), states)
    await gauges.look()
    metrics.tell_settled(2 * USD, 1_800)
    told = value_of(metrics)
    assert told['gpu_market_host_gpu_celsius{"gpu": "01:00.0"}'] == 91
    assert told['gpu_market_host_gpu_xid_errors{"gpu": "01:00.0"}'] == 1
    assert told['gpu_market_host_gpu_faults{"gpu": "01:00.0"}'] == 2
    assert told['gpu_market_host_listings{"state": "rented"}'] == told['gpu_market_host_listings{"state": "idle"}'] == 1
    assert told["gpu_market_host_earned_usd_total{}"] == 1 and told["gpu_market_host_gpus{}"] == 1
    free = shutil.disk_usage(tmp_path).total
    assert 0 < told["gpu_market_host_disk_free_bytes{}"] <= free
    found.clear()
    await gauges.look()
    assert 'gpu_market_host_gpu_celsius{"gpu": "01:00.0"}' not in value_of(metrics)
    assert value_of(metrics)["gpu_market_host_gpus{}"] == 0


def value_of(metrics: HostMetrics) -> dict[str, float]:
    """Every sample by its name and labels."""
    families = text_string_to_metric_families(exposition(metrics.registry))
    return {f"{each.name}{json.dumps(each.labels)}": each.value for family in families for each in family.samples}
