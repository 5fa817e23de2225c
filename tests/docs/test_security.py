"""Tables of docs/security.md, "What a vote can move": a row for each action and parameter, with its bounds."""

from __future__ import annotations

import re
from typing import Final

from anchor_client.generated import constants
from anchor_client.generated.types.action import Action
from anchor_client.rules.parameters import MAX_U64, PARAMETERS, Parameter, Unit
from tests.docs.pages import ROOT

SECTION: Final = (ROOT / "docs" / "security.md").read_text().split("## What a vote can move\n")[1].split("\n## ")[0]
ACTIONS, _, SETTINGS = SECTION.partition("### Parameters\n")
CRITICAL: Final = {"TreasuryTransfer", "UpgradeProgram", "SetKey"}
"""Actions that are critical, always or for one key."""


def rows(table: str) -> dict[str, list[str]]:
    """Cells behind the name of each row, by that name."""
    found = [re.split(r" \| ", line.strip("| ")) for line in table.splitlines() if line.startswith("| `")]
    names = [cells[0].strip("`") for cells in found]
    assert len(names) == len(set(names))
    return {name: cells[1:] for name, cells in zip(names, found, strict=True)}


def bounds(parameter: Parameter) -> str:
    """Bounds of a parameter as the page says them."""
    low, high = parameter.bounds
    match parameter.unit:
        case _ if high == MAX_U64:
            return "any"
        case Unit.SHARE:
            return f"{low / 100:g} to {high / 100:g} %"
        case Unit.MICRO_USD:
            return f"${low // constants.USD:,} to ${high // constants.USD:,}"
        case Unit.SECONDS | Unit.HOURS:
            return f"{low:,} to {high:,} {parameter.unit.value[0]}"
        case unit:
            return f"{low:,} to {high:,} {unit.value}"


def test_actions__each__has_its_row_and_the_critical_ones_say_so() -> None:
    found = rows(ACTIONS)
    assert list(found) == [kind.__name__.removeprefix("Action") for kind in Action.VARIANTS]
    assert {name for name, [text] in found.items() if "is critical" in text} == CRITICAL


def test_actions__shares_of_a_mints_terms__are_the_programs() -> None:
    [text] = rows(ACTIONS)["UpdatePaymentMint"]
    most = (constants.MAX_SUBSIDY_BPS, constants.MAX_BURN_BPS, constants.MAX_FEE_BPS)
    assert re.findall(r"at most (\d+) %", text) == [f"{bps // 100}" for bps in most]


def test_parameters__each__has_its_row_with_the_programs_bounds() -> None:
    found = rows(SETTINGS)
    assert {name: cells[0] for name, cells in found.items()} == {each.name: bounds(each) for each in PARAMETERS}
    assert all(len(cells) == 2 and cells[1] for cells in found.values())
