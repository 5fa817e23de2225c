"""docs/upgrades.md names every kind of account with its version."""

from __future__ import annotations

import json
import re
from pathlib import Path

from anchor_client.rules.layouts import VERSIONS

ROOT = Path(__file__).parents[2]
LAYOUTS = ROOT / "programs/gpu_market/src/layout.rs"


def test_upgrades__every_kind_of_account__has_a_plan() -> None:
    told = re.findall(r"^\| `(\w+)` \| (\d+) \|", (ROOT / "docs/upgrades.md").read_text(), re.MULTILINE)
    known = re.findall(r"^    (\w+): (\d+),$", LAYOUTS.read_text(), re.MULTILINE)
    assert sorted(told) == sorted(known)
    idl = json.loads((ROOT / "idl/gpu_market.json").read_text())
    assert {kind for kind, _ in told} == {each["name"] for each in idl["accounts"]}
    assert {(kind.__name__, str(version)) for kind, version in VERSIONS.items()} == set(known)
