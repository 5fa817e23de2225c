"""Grafana's dashboard as it is provisioned."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from tests.docs.pages import ROOT

DASHBOARD: dict[str, Any] = json.loads((ROOT / "deploy/grafana/dashboards/gpu-market.json").read_text())


def panels() -> Iterator[dict[str, Any]]:
    """Those that show something: rows are headings."""
    return (panel for panel in DASHBOARD["panels"] if panel["type"] != "row")


def expressions() -> list[str]:
    """Every PromQL expression."""
    return [target["expr"] for panel in panels() for target in panel["targets"]]
