"""Conditions under which each alert fires, judged by Prometheus' own promtool."""

from __future__ import annotations

import os
import shutil
import subprocess

import pytest
import yaml

from tests.docs.pages import ROOT

RULES = ROOT / "deploy/prometheus/alerts.yml"
CASES = ROOT / "tests/deploy/alerts.yml"


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
    ended = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert ended.returncode == 0, ended.stdout + ended.stderr
    return ended.stdout


def test_alerts__rules__are_sound(promtool: str) -> None:
    count = sum(len(group["rules"]) for group in yaml.safe_load(RULES.read_text())["groups"])
    assert f"{count} rules found" in judged(promtool, "check", "rules", str(RULES))


def test_alerts__each__fires_when_it_should_and_no_sooner(promtool: str) -> None:
    judged(promtool, "test", "rules", str(CASES))


def test_alerts__each__has_a_case_that_fires_and_one_that_does_not() -> None:
    alerts = {rule["alert"] for group in yaml.safe_load(RULES.read_text())["groups"] for rule in group["rules"]}
    cases = [case for test in yaml.safe_load(CASES.read_text())["tests"] for case in test["alert_rule_test"]]
    assert {case["alertname"] for case in cases if case["exp_alerts"]} == alerts
    assert {case["alertname"] for case in cases if not case["exp_alerts"]} == alerts
