"""The tables of docs/scale.md, by measurement in LiteSVM and arithmetic."""

from __future__ import annotations

import pytest

from keeper.settings import KeeperSettings
from tests.docs.pages import ROOT
from tests.docs.scale import (
    ACCOUNT_UNITS,
    BLOCK_UNITS,
    LIFE,
    SHARED,
    SLOT_SECONDS,
    WRITING,
    a_second,
    life_cost,
    rows,
    vaults_that_fill_a_block,
    whole_rental_cost,
    written,
)

PAGE = (ROOT / "docs" / "scale.md").read_text()


@pytest.mark.exhaustive
def test_scale__each_row__is_what_is_measured() -> None:
    """After a deliberate change: python -m tests.docs.scale."""
    missing = [row for row in rows() if row not in PAGE.splitlines()]
    assert not missing


def test_scale__no_instruction_of_the_market__writes_an_account_of_all() -> None:
    assert all("market" not in written(name) for name in WRITING)
    assert written("open_rental")[0] in (*SHARED, "renter")


def test_scale__rates_in_its_text__follow_from_the_costs() -> None:
    a_vault = a_second(ACCOUNT_UNITS, whole_rental_cost(), SLOT_SECONDS[0])
    a_block = a_second(BLOCK_UNITS, life_cost(), SLOT_SECONDS[0])
    assert f"**{a_vault:,} rentals a second**" in PAGE
    assert f"a whole block {a_block:,}" in PAGE and f"{a_block * len(LIFE):,} events a second" in PAGE
    assert f"{vaults_that_fill_a_block()} vaults" in PAGE
    assert f"{KeeperSettings.turn_seconds:g} s" in PAGE
