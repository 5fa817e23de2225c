"""The runbook has a page for every alert."""

from __future__ import annotations

import re
from typing import Any

import yaml

from tests.docs.pages import ROOT, section

FILES = ("prometheus/alerts.yml", "prometheus/host.yml", "kafka/kafka-alerts.yml")
ALERTS: list[dict[str, Any]] = [yaml.safe_load((ROOT / "deploy" / name).read_text()) for name in FILES]
RULES = [rule for file in ALERTS for group in file["groups"] for rule in group["rules"]]


def test_runbook__each_alert__has_a_page() -> None:
    pages = re.split(r"^### ", section((ROOT / "docs/runbook.md").read_text(), "Alerts"), flags=re.MULTILINE)[1:]
    named = [page.split("\n", 1)[0] for page in pages]
    assert sorted(named) == sorted(rule["alert"] for rule in RULES)
    for name, page in zip(named, pages, strict=True):
        parts = re.findall(r"^- \*\*(Meaning|Look at|Do):\*\* \S", page, re.MULTILINE)
        assert parts == ["Meaning", "Look at", "Do"], name


def test_alerts__each__says_what_and_how_grave() -> None:
    for rule in RULES:
        assert rule["labels"]["severity"] in ("page", "ticket", "none") and rule["annotations"]["summary"]
