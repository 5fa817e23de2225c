"""Versions of the projections: what makes another one, and that of two which run at once the older stops.

Invariant IDX-4.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest
from sqlalchemy import Engine, insert

from indexer.errors import Superseded
from indexer.index import projection_version
from indexer.index import rebuild as rebuild_module
from indexer.index.projection_version import _told, current_version, made_by
from indexer.index.rebuild import is_stale, rebuild
from indexer.models import ProjectionVersion
from tests.indexer.busy import busy
from tests.indexer.databases import on_both_databases
from tests.indexer.node import ScriptedNode
from tests.indexer.proof.test_follow import follower_of
from tests.indexer.tables import contents
from tests.markets.recorded import Market
from tests.processes.patience import PATIENCE

OLDER, NEWER = "0" * 64, "1" * 64
Become = Callable[[str], None]


@pytest.fixture
def become(monkeypatch: pytest.MonkeyPatch) -> Become:
    """Makes this process one of another version."""

    def become(version: str) -> None:
        for module in (projection_version, rebuild_module):
            monkeypatch.setattr(module, "current_version", lambda: version)

    return become


@on_both_databases
async def test_catch_up__newer_version_has_made_the_tables__writes_nothing_until_it_is_gone_back_to(
    market: Market, engine: Engine, become: Become
) -> None:
    for version in (OLDER, NEWER):
        become(version)
        follower, _ = follower_of(ScriptedNode(market), engine)
        await follower.catch_up()
    before = contents(engine)
    busy(market)
    become(OLDER)
    older, _ = follower_of(ScriptedNode(market), engine)
    with pytest.raises(Superseded):
        await older.catch_up()
    with pytest.raises(Superseded):
        await older.read_again(0, market.node.slot)
    assert contents(engine) == before
    rebuild(engine)
    await older.catch_up()
    assert len(contents(engine)["raw_event"]) > len(before["raw_event"])
    become(NEWER)
    with pytest.raises(Superseded):
        await follower.catch_up()


async def test_run__newer_version_makes_the_tables__ends(market: Market, sqlite_engine: Engine, become: Become) -> None:
    node = ScriptedNode(market)
    older, status = follower_of(node, sqlite_engine)
    become(OLDER)
    await older.catch_up()
    running = asyncio.create_task(older.run())
    become(NEWER)
    rebuild(sqlite_engine)
    become(OLDER)
    older.wake()
    with pytest.raises(Superseded):
        async with asyncio.timeout(PATIENCE):
            await running
    assert "newer version" in str(status.last_error)


def test_current_version__rule_that_a_handler_uses_is_changed__is_another(monkeypatch: pytest.MonkeyPatch) -> None:
    code = made_by()
    assert {
        *(
            "indexer.index.handlers.rental",
            "indexer.models.rental",
            "anchor_client.rules.subsidy",
            "anchor_client.rules.math",
        ),
        *("anchor_client.projection", "anchor_client.kinds", "anchor_client.generated.types.close_reason"),
    } <= code.keys()
    assert not any(name.startswith("anchor_client.rules.payment_mint") for name in code), "no handler uses it"
    version = current_version.__wrapped__
    before = version()
    changed = code | {"anchor_client.rules.subsidy": code["anchor_client.rules.subsidy"] + "\nMORE = 1\n"}
    monkeypatch.setattr(projection_version, "made_by", lambda: changed)
    assert version() != before == current_version()


def test_current_version__is_of_the_code_and_not_of_its_words() -> None:
    code = "def on(event):\n    return event.at\n"
    assert _told(code) == _told('def on(event):\n    """Says when."""\n    return event.at  # then\n')
    assert _told(code) != _told(code.replace("at", "by"))
    assert len(current_version()) == 64


def test_is_stale__no_version__is(sqlite_engine: Engine) -> None:
    assert not is_stale(sqlite_engine)
    with sqlite_engine.begin() as connection:
        connection.execute(insert(ProjectionVersion.table).values(version="1" * 64, number=2, holds=True))
    assert is_stale(sqlite_engine)
