"""Parts of the Python client that the documentation names exist."""

from __future__ import annotations

import ast
import re
from functools import reduce
from importlib import import_module
from pathlib import Path

import pytest

from anchor_client.market import Job, JobStatus, Market
from tests.docs.pages import PAGES, blocks, name, spans

MEMBER = re.compile(r"(?<![\w./-])market((?:\.(?!(?:toml|json|env)\b)[a-z_]+)+)")
GUIDES = [page for page in PAGES if page.name != "CHANGELOG.md"]


def members(text: str) -> set[str]:
    """The attributes that a page names of `market`, with theirs."""
    code = [*spans(text), *blocks(text, "python")]
    return {chain.strip(".") for part in code for chain in MEMBER.findall(part)}


def test_members__forms__are_read() -> None:
    assert members("`market.spot.bid(...)`, `state/market.rs`, `gpu_market.so`, `market.toml`, `market`") == {
        "spot.bid"
    }


@pytest.mark.parametrize("named", [pytest.param(sorted(members(page.read_text())), id=name(page)) for page in GUIDES])
async def test_documentation__members_of_market__exist(named: list[str]) -> None:
    async with Market.connect("http://127.0.0.1:9") as market:
        for chain in named:
            reduce(getattr, chain.split("."), market)


@pytest.mark.parametrize("page", GUIDES, ids=name)
def test_documentation__fields_of_jobs__exist(page: Path) -> None:
    found = {
        field
        for code in blocks(page.read_text(), "python")
        for model, field in re.findall(r"\b(job|update)\.([a-z_]+)", code)
        if field not in {"job": Job, "update": JobStatus}[model].names()
    }
    assert found == set()


@pytest.mark.parametrize("page", GUIDES, ids=name)
def test_documentation__imports__work(page: Path) -> None:
    for code in blocks(page.read_text(), "python"):
        for node in ast.walk(ast.parse(code)):
            if isinstance(node, ast.ImportFrom):
                module = import_module(node.module or "")
                assert all(hasattr(module, each.name) for each in node.names)
