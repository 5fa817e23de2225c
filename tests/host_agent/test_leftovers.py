"""Tenants left of listings that the agent does not serve: which are wiped, and which are somebody else's."""

from __future__ import annotations

import time
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from solders.pubkey import Pubkey

from anchor_client.errors import UnknownJob
from anchor_client.service.lock_file import locked
from host_agent.deadlines import Deadlines
from host_agent.errors import MachineFault
from host_agent.leftovers import Leftovers
from tests.host_agent.test_service import settings

LISTING, RENTAL = Pubkey.new_unique(), Pubkey.new_unique()
ENDED, RUNS, FORGOTTEN = SimpleNamespace(is_final=True), SimpleNamespace(is_final=False), None


class Place:
    """An engine with one tenant, and the chain; notes what is wiped."""

    def __init__(self, folder: Path, status: SimpleNamespace | None, monkeypatch: pytest.MonkeyPatch) -> None:
        self.status, self.wiped, self.fails = status, list[Pubkey](), False
        (folder / f"{LISTING}.lock").touch()
        market = SimpleNamespace(jobs=self, reads=SimpleNamespace(program=self))
        self.left = Leftovers(settings(folder), cast(Any, market), cast(Any, self), {})
        monkeypatch.setattr(self.left, "_wipe", self.wipe)

    async def held(self) -> dict[Pubkey, Pubkey]:
        return {LISTING: RENTAL}

    async def now_and_known(self, kind: object, addresses: object) -> tuple[int, dict[Pubkey, Any]]:
        return 0, {}

    async def get(self, rental: Pubkey) -> Any:
        assert rental == RENTAL
        if self.status is None:
            raise UnknownJob("No such job")
        return SimpleNamespace(status=self.status)

    async def wipe(self, listing: Pubkey, rental: Pubkey) -> None:
        if self.fails:
            raise MachineFault("The engine is away")
        self.wiped.append(rental)


@pytest.mark.parametrize(("status", "is_left"), [(ENDED, False), (RUNS, True)])
async def test_look__rental_of_a_closed_listing__is_wiped_once_it_has_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, status: SimpleNamespace, is_left: bool
) -> None:
    place = Place(tmp_path, status, monkeypatch)
    assert await place.left.look() is is_left
    assert place.wiped == ([] if is_left else [RENTAL])


@pytest.mark.parametrize(("ahead", "is_left"), [(None, False), (-1, False), (60, True)])
async def test_look__rental_that_no_node_remembers__is_wiped_once_its_deadline_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ahead: int | None, is_left: bool
) -> None:
    place, file = Place(tmp_path, FORGOTTEN, monkeypatch), Deadlines(tmp_path).file(LISTING)
    if ahead is not None:
        file.parent.mkdir()
        file.write_text(f"{time.time() + ahead:.0f}\n")
    assert await place.left.look() is is_left
    assert place.wiped == ([] if is_left else [RENTAL])


async def test_look__served_here_by_another_agent_or_from_another_directory__is_not_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, lock = Place(tmp_path, ENDED, monkeypatch), tmp_path / f"{LISTING}.lock"
    assert not await place.left.look([LISTING])
    with locked(lock, RuntimeError("busy")):
        assert not await place.left.look()
    lock.unlink()
    assert not await place.left.look() and place.wiped == []


async def test_look__wipe_fails__is_tried_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = Place(tmp_path, ENDED, monkeypatch)
    place.fails = True
    assert await place.left.look()
    place.fails = False
    assert not await place.left.look() and place.wiped == [RENTAL]
