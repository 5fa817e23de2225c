"""Conditions under which each alert fires, judged by Prometheus' own promtool."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import yaml

from tests.deploy import telling
from tests.docs.pages import ROOT
from tests.processes.patience import PATIENCE

RULES = ROOT / "deploy/prometheus/alerts.yml"
EXPECTED = ROOT / "deploy/kubernetes/expected.yml"
CASES = ROOT / "tests/deploy/alerts.yml"
ALERTS: dict[str, dict[str, Any]] = {
    rule["alert"]: rule for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]
}
WATCHDOG = "Watchdog"
"""It never ends, and goes by nothing."""
OWN = {"gpu_market_doctor_timestamp_seconds": "DoctorSilent"}
"""Metrics whose absence an alert of its own tells."""
REPLICAS = {"gpu-market-indexer": 1, "gpu-market-api": 2, "gpu-market-keeper": 2, "gpu-market-oracle": 1}
DOWN = {
    "gpu-market-indexer": ("IndexerDown", "indexers do not answer"),
    "gpu-market-api": ("ApiDown", "replicas of the API do not answer"),
    "gpu-market-keeper": ("KeeperDown", "keepers do not answer"),
    "gpu-market-oracle": ("OracleDown", "oracles do not answer"),
}
INSTANCES = dict.fromkeys((*REPLICAS, "gpu-market-source"), ("a", "b")) | {"gpu-market-doctor": ("a",)}
GONE = re.compile(
    r'label_replace\(up\{job=~?"([^"]+)"\} == 1 unless on \(job, instance\) (\w+), "metric", "(\w+)", "", ""\)'
)
Test = dict[str, Any]


class Told(NamedTuple):
    """A metric that one of a service tells."""

    job: str
    instance: str
    metric: str


@pytest.fixture(scope="module")
def promtool() -> str:
    """Prometheus' tool; skipped without it (Debian: prometheus), but not in CI."""
    found = shutil.which("promtool")
    if found is None and os.environ.get("CI") == "true":
        pytest.fail("promtool is not on PATH")
    if found is None:
        pytest.skip("promtool is not on PATH")
    return found


def judged(*command: str) -> str:
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def metrics_of(alert: str) -> set[str]:
    """Metrics that an alert goes by."""
    return set(re.findall(r"\bgpu_market_\w+", ALERTS[alert]["expr"]))


def told_as_gone() -> set[tuple[str, str]]:
    """Jobs and their metrics whose absence MetricGone tells."""
    found = GONE.findall(ALERTS["MetricGone"]["expr"])
    assert all(metric == named for _, metric, named in found)
    return {(job, metric) for jobs, metric, _ in found for job in INSTANCES if re.fullmatch(jobs, job)}


def missed_when_gone() -> list[tuple[str, str]]:
    """Jobs and their metrics whose absence some alert tells."""
    return sorted({*told_as_gone(), *(("gpu-market-doctor", metric) for metric in OWN)})


def series(name: str, value: str = "1x60") -> dict[str, str]:
    return {"series": name, "values": value}


def fires(alert: str, summary: str, **labels: str) -> Test:
    told = {"severity": ALERTS[alert]["labels"]["severity"], **labels}
    return {"exp_labels": told, "exp_annotations": {"summary": summary}}


def asked(alert: str, *fired: Test, at: str = "20m") -> Test:
    return {"eval_time": at, "alertname": alert, "exp_alerts": list(fired)}


def is_gone(told: Told) -> tuple[str, Test]:
    """The alert that tells that a metric is gone, and how it fires."""
    if told.metric in OWN:
        return OWN[told.metric], fires(OWN[told.metric], "the doctor is not heard of")
    summary = f"{told.job} at {told.instance} does not tell {told.metric}"
    return "MetricGone", fires("MetricGone", summary, **told._asdict())


def without(*gone: Told) -> Test:
    """All of every service answer, and tell all but some metrics."""
    known = [Told(job, each, metric) for job, metric in missed_when_gone() for each in INSTANCES[job]]
    up = [series(f'up{{job="{job}",instance="{each}"}}') for job, names in INSTANCES.items() for each in names]
    cases: dict[str, list[Test]] = {"MetricGone": [], "DoctorSilent": []}
    for each in gone:
        alert, case = is_gone(each)
        cases[alert].append(case)
    told = [
        series(f'{metric}{{job="{job}",instance="{each}"}}', "0+60x60" if metric in OWN else "1x60")
        for job, each, metric in known
        if (job, each, metric) not in gone
    ]
    return {
        "interval": "1m",
        "input_series": [*up, *told],
        "alert_rule_test": [asked(alert, *fired) for alert, fired in cases.items()],
    }


def judge(promtool: str, folder: Path, *tests: Test) -> None:
    """Has promtool run tests on the rules."""
    file = folder / "tests.yml"
    rules = [str(RULES), str(EXPECTED)]
    file.write_text(yaml.safe_dump({"rule_files": rules, "evaluation_interval": "30s", "tests": list(tests)}))
    judged(promtool, "test", "rules", str(file))


def test_alerts__rules__are_sound(promtool: str) -> None:
    assert f"{len(ALERTS)} rules found" in judged(promtool, "check", "rules", str(RULES))


def test_alerts__each__fires_when_it_should_and_no_sooner(promtool: str) -> None:
    judged(promtool, "test", "rules", str(CASES))


def test_alerts__each__has_a_case_that_fires_and_one_that_does_not() -> None:
    cases = [case for test in yaml.safe_load(CASES.read_text())["tests"] for case in test["alert_rule_test"]]
    assert {case["alertname"] for case in cases if case["exp_alerts"]} == ALERTS.keys()
    assert {case["alertname"] for case in cases if not case["exp_alerts"]} == ALERTS.keys() - {WATCHDOG}


def test_alerts__every_metric_that_one_goes_by__is_missed_in_each_service_that_tells_it(tmp_path: Path) -> None:
    expression = ALERTS["MetricGone"]["expr"]
    assert expression.count("label_replace") == len(GONE.findall(expression)) == expression.count("\nor ") + 1
    used = set().union(*(metrics_of(alert) for alert in ALERTS.keys() - {"MetricGone"}))
    told = {
        (job, sample.name)
        for job, families in telling.families(tmp_path).items()
        for family in families
        for sample in family.samples
        if sample.name in used
    }
    assert {metric for _, metric in told} == used and set(missed_when_gone()) == told


@pytest.mark.parametrize("job", DOWN)
def test_alerts__all_of_a_service_gone__are_missed(promtool: str, tmp_path: Path, job: str) -> None:
    alert, text = DOWN[job]
    nothing = {"interval": "1m", "input_series": [series("another")]}
    told = fires(alert, f"{REPLICAS[job]} {text}", job=job)
    judge(promtool, tmp_path, nothing | {"alert_rule_test": [asked(alert, at="1m"), asked(alert, told)]})


@pytest.mark.parametrize(
    "alert", sorted(ALERTS.keys() - {WATCHDOG, "MetricGone"} - {alert for alert, _ in DOWN.values()})
)
def test_alerts__all_that_it_goes_by_is_gone__each_is_missed(promtool: str, tmp_path: Path, alert: str) -> None:
    used = metrics_of(alert)
    gone = [Told(job, each, metric) for job, metric in missed_when_gone() for each in INSTANCES[job] if metric in used]
    assert gone, "it goes by something"
    judge(promtool, tmp_path, without(*gone), without())


@pytest.mark.parametrize("job", INSTANCES)
def test_alerts__one_metric_of_one_instance_is_gone__is_missed(promtool: str, tmp_path: Path, job: str) -> None:
    gone = [Told(job, INSTANCES[job][-1], metric) for known, metric in missed_when_gone() if known == job]
    assert gone, "each service tells something that an alert goes by"
    judge(promtool, tmp_path, *(without(each) | {"name": each.metric} for each in gone))


def test_alerts__everything_gone__each_service_and_the_doctor_are_missed(promtool: str, tmp_path: Path) -> None:
    downs = [asked(alert, fires(alert, f"{REPLICAS[job]} {text}", job=job)) for job, (alert, text) in DOWN.items()]
    silent = asked("DoctorSilent", fires("DoctorSilent", "the doctor is not heard of"), at="50m")
    nothing = {"interval": "1m", "input_series": [series("another")]}
    judge(promtool, tmp_path, nothing | {"alert_rule_test": [*downs, silent, asked("MetricGone")]})


def test_alerts__one_of_two_replicas_is_no_longer_listed__is_missed(promtool: str, tmp_path: Path) -> None:
    tests = []
    for job in ("gpu-market-api", "gpu-market-keeper"):
        alert, text = DOWN[job]
        left = series(f'up{{job="{job}",instance="a"}}')
        gone = series(f'up{{job="{job}",instance="b"}}', "1x9 stale")
        cases = [asked(alert, at="9m"), asked(alert, fires(alert, f"1 {text}", job=job))]
        tests.append({"interval": "1m", "input_series": [left, gone], "alert_rule_test": cases})
    judge(promtool, tmp_path, *tests)


def test_alerts__no_expected_numbers__what_is_gone_is_still_missed(promtool: str, tmp_path: Path) -> None:
    file = tmp_path / "alone.yml"
    cases = [asked(alert, fires(alert, f"1 {text}", job=job)) for job, (alert, text) in DOWN.items()]
    test = {"interval": "1m", "input_series": [series("another")], "alert_rule_test": cases}
    file.write_text(yaml.safe_dump({"rule_files": [str(RULES)], "evaluation_interval": "30s", "tests": [test]}))
    judged(promtool, "test", "rules", str(file))
