"""Alerts of a topic: they read what sources and indexers tell, and miss them when they are gone."""

from __future__ import annotations

import re
from typing import Any

import pytest
import yaml

from indexer.metrics import INDEX
from tests.deploy.telling import names_of
from tests.deploy.test_alerts import judged, promtool
from tests.deploy.test_files import DEPLOY, TOPIC, TOPIC_MANIFESTS
from tests.deploy.test_monitoring import labels, named
from tests.docs.pages import ROOT

__all__ = ["promtool"]
RULES = DEPLOY / "kafka/kafka-alerts.yml"
CASES = ROOT / "tests/deploy/kafka_alerts.yml"
ALERTS: dict[str, dict[str, Any]] = {
    rule["alert"]: rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]
}
GONE = {
    "SourceDown": "SourceDown",
    "SourceStuck": "TopicMetricGone",
    "NoActiveIndexer": "TopicMetricGone",
    "IndexersTakeTurns": "TopicMetricGone",
    "TopicMetricGone": "SourceDown",
}
"""For each alert the one that tells when its metric is gone. IndexerDown tells it of indexers that do not answer."""


def test_alerts__each__fires_when_it_should_and_no_sooner(promtool: str) -> None:
    assert f"{len(ALERTS)} rules found" in judged(promtool, "check", "rules", str(RULES))
    judged(promtool, "test", "rules", str(CASES))


def test_alerts__each__has_a_case_that_fires_and_is_missed_when_it_is_gone() -> None:
    tests = {test["name"]: test["alert_rule_test"] for test in yaml.safe_load(CASES.read_text())["tests"]}
    cases = [case for each in tests.values() for case in each]
    assert {case["alertname"] for case in cases if case["exp_alerts"]} == ALERTS.keys()
    assert {case["alertname"] for case in cases if not case["exp_alerts"]} == ALERTS.keys()
    gone = {case["alertname"] for name in ("gone", "everything gone") for case in tests[name] if case["exp_alerts"]}
    assert ALERTS.keys() == GONE.keys() and gone == set(GONE.values())


@pytest.mark.parametrize("alert", sorted(set(ALERTS) - {"TopicMetricGone"}))
def test_alerts__what_it_goes_by__is_told_or_missed(alert: str) -> None:
    used = named(ALERTS[alert]["expr"])
    assert used <= names_of(INDEX.collect()) and labels(ALERTS[alert]["expr"]) <= {"job", "instance"}
    assert used <= named(ALERTS[GONE[alert]]["expr"])


def test_expected__sources__are_those_of_each_place() -> None:
    [replicas] = [
        each["spec"]["replicas"]
        for each in TOPIC_MANIFESTS
        if (each["kind"], each["metadata"]["name"]) == ("StatefulSet", "gpu-market-source")
    ]
    assert "deploy" not in TOPIC["services"]["source"]
    for place, number in (("kafka", 1), ("kubernetes", replicas)):
        text = (DEPLOY / place / "kafka-expected.yml").read_text()
        assert re.findall(r"vector\((\d+)\), labels: {job: gpu-market-source}", text) == [str(number)]


def test_rules__are_where_prometheus_looks() -> None:
    [mount] = TOPIC["services"]["prometheus"]["volumes"]
    source, target, _ = mount.split(":")
    assert (DEPLOY / source).samefile(RULES.parent)
    assert f"{target}/*.yml" in yaml.safe_load((DEPLOY / "prometheus/prometheus.yml").read_text())["rule_files"]
    readme = (DEPLOY / "README.md").read_text().replace("\\\n", "")
    made = re.findall(r"create configmap gpu-market-prometheus (.*)", readme)[0]
    files = [ROOT / file for file in re.findall(r"--from-file=(\S+)", made)]
    assert all(file.is_file() for file in files) and {RULES, DEPLOY / "kubernetes/kafka-expected.yml"} < set(files)
