"""Alerts name metrics that there are, and the runbook has every alert."""

from __future__ import annotations

import re
from typing import Any

import yaml
from prometheus_client import CollectorRegistry

from indexer.metrics import API, INDEX
from keeper.metrics import KeeperMetrics
from tests.docs.pages import ROOT, rows

ALERTS: dict[str, Any] = yaml.safe_load((ROOT / "deploy/prometheus/alerts.yml").read_text())
RULES = [rule for group in ALERTS["groups"] for rule in group["rules"]]
METRIC = re.compile(r"\bgpu_market_[a-z_]+")
ELSEWHERE = ("indexer/index/lag.py", "market_cli/commands/deploy/findings.py")
"""Files that name metrics, besides the registries."""


def names(registry: CollectorRegistry) -> set[str]:
    families = list(registry.collect())
    return {f"{family.name}{end}" for family in families for end in ("", "_total")}


def test_alerts__metrics__exist() -> None:
    known = names(INDEX) | names(API) | names(KeeperMetrics().registry)
    written = "".join((ROOT / file).read_text() for file in ELSEWHERE)
    known |= set(METRIC.findall(written)) | {
        f"gpu_market_indexer_{name}" for name in re.findall(r'"(\w+)": \(', written)
    }
    used = {metric for rule in RULES for metric in METRIC.findall(rule["expr"])}
    assert used - known == set()


def test_runbook__alerts__are_all_told_in_their_order() -> None:
    told = [row[0].strip("`") for row in rows("\n## Alerts\n" + (ROOT / "docs/runbook.md").read_text(), "Alerts")]
    assert sorted(told) == sorted(rule["alert"] for rule in RULES)


def test_alerts__each__says_what_and_how_grave() -> None:
    for rule in RULES:
        assert rule["labels"]["severity"] in ("page", "ticket") and rule["annotations"]["summary"]
