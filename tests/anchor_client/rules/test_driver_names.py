"""Models by the names that drivers give them."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from anchor_client.rules.gpu_match import models_named

LINES = (Path(__file__).parent / "cases" / "driver_names.csv").read_text().splitlines()
KNOWN = list(csv.DictReader(line for line in LINES if not line.startswith("#")))


@pytest.mark.parametrize("case", KNOWN, ids=[case["name"] for case in KNOWN])
def test_models_named__name_of_a_driver__is_of_these_models_alone(case: dict[str, str]) -> None:
    found = {model.slug.removeprefix("nvidia-") for model in models_named(case["name"])}
    assert found == set(case["models"].split())
