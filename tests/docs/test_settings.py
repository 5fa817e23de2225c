"""docs/settings.md against the settings themselves: names, environment variables and defaults."""

from __future__ import annotations

import re
from collections.abc import Mapping
from enum import Enum
from typing import Any

import pytest
from pydantic_settings import BaseSettings
from typer.core import TyperGroup

from indexer.settings import IndexerSettings
from keeper.names import CrankName
from keeper.settings import KeeperSettings
from market_cli.setting_keys import KEYS, TABLES
from market_cli.settings import ENVIRONMENT_PREFIX
from tests.docs.command_line import member, root
from tests.docs.pages import PACKAGES, PAGES, ROOT, rows

TEXT = (ROOT / "docs" / "settings.md").read_text()


def written(default: Any) -> str:
    """A default as the table shows it."""
    if isinstance(default, Enum):
        default = default.value
    if isinstance(default, int | float) and not isinstance(default, bool):
        return f"`{default:,g}`" if default < 1_000_000 else f"`{default:,}`"
    return "" if default is None or default in ("", frozenset(), {}, ()) else f"`{default}`"


def told(heading: str) -> dict[str, tuple[str, ...]]:
    """By name, what stands in a table's columns before the meaning."""
    return {row[0].strip("`"): tuple(row[1:-1]) for row in rows(TEXT, heading)}


@pytest.mark.parametrize(("heading", "settings"), [("Indexer", IndexerSettings), ("Keeper", KeeperSettings)])
def test_settings__of_a_service__are_all_told(heading: str, settings: type[BaseSettings]) -> None:
    prefix = settings.model_config.get("env_prefix", "")
    fields: Mapping[str, Any] = settings.model_fields
    expected = {
        field: (f"`{prefix}{field.upper()}`", written(info.get_default(call_default_factory=True)))
        for field, info in fields.items()
    }
    assert told(heading) == expected


def test_settings__of_the_command_line__are_all_told() -> None:
    named = {key: f"`{ENVIRONMENT_PREFIX}{key.upper()}`" for key in KEYS} | dict.fromkeys(
        (f"{table}.SYMBOL" for table in TABLES), ""
    )
    assert {key: cells[0] for key, cells in told("Command line").items()} == named


def test_settings__of_a_host_agent__are_all_told() -> None:
    host, config = member(root(), "host"), member(root(), "config")
    assert isinstance(host, TyperGroup) and isinstance(config, TyperGroup)
    run, show = member(host, "run"), member(config, "show")
    assert run is not None and show is not None
    common = {each.name for each in show.params}
    expected = {
        each.opts[0]: (written(each.default) if each.default is not False else "",)
        for each in run.params
        if each.name not in common
    }
    assert told("Host agent") == expected


def test_cranks__each__is_told() -> None:
    assert [row[0].strip("`") for row in rows((ROOT / "docs" / "keep.md").read_text(), "Cranks")] == list(CrankName)


def test_environment__every_variable__is_told() -> None:
    """Those that the sources spell out, beside those of settings."""
    named = {
        variable
        for package in PACKAGES
        for file in (ROOT / package).rglob("*.py")
        for variable in re.findall(r"GPU_MARKET_[A-Z]+(?:_[A-Z]+)*", file.read_text())
    }
    pages = "".join(page.read_text() for page in PAGES)
    assert {variable for variable in named if f"`{variable}" not in pages} == set()


@pytest.mark.parametrize("heading", ["Indexer", "Keeper", "Command line", "Host agent"])
def test_settings__each__has_a_meaning(heading: str) -> None:
    assert all(row[-1] for row in rows(TEXT, heading))
