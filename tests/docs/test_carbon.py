"""The grid intensities that docs/index-and-api.md has a source for are the catalog's."""

from __future__ import annotations

import re

from anchor_client.rules.catalog import REGIONS
from tests.docs.pages import ROOT

ROW = re.compile(r"^\| `([a-z-]+)` \| (\d+) \| (\d{4}) \| \S", re.MULTILINE)


def test_carbon__every_region__has_its_figure_with_year_and_source() -> None:
    found = {slug: int(grams) for slug, grams, _ in ROW.findall((ROOT / "docs" / "index-and-api.md").read_text())}
    assert found == {region.slug: region.grid_grams_per_kwh for region in REGIONS}
