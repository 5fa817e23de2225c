"""Tenants and background jobs left of listings: which are ended, and which are somebody else's."""

from __future__ import annotations

import asyncio
import time
from contextlib import nullcontext
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.errors import UnknownJob
from anchor_client.generated.accounts import Listing
from host_agent import leftovers
from host_agent.announcement import claimed, lock_of
from host_agent.deadlines import Deadlines
from host_agent.docker.container import BACKGROUND
from host_agent.errors import MachineFault
from host_agent.leftovers import LOOK_SECONDS, Leftovers
from tests.host_agent.test_service import settings

LISTING, RENTAL = Keypair().pubkey(), Keypair().pubkey()
"""Random: the names of claimed listings are the machine's, and tests run side by side."""
ENDED, RUNS, FORGOTTEN = SimpleNamespace(is_final=True), SimpleNamespace(is_final=False), None


class Place:
    """An engine with one tenant and one background job, and the chain; notes what is wiped and which jobs are ended."""

    def __init__(self, folder: Path, status: SimpleNamespace | None, monkeypatch: pytest.MonkeyPatch) -> None:
        self.status, self.wiped, self.fails = status, list[Pubkey](), False
        self.is_open, self.ended = True, list[str]()
        lock_of(LISTING, folder).touch()
        market = SimpleNamespace(jobs=self, reads=SimpleNamespace(program=self))
        self.left = Leftovers(settings(folder), cast(Any, market), cast(Any, self), {})
        monkeypatch.setattr(self.left, "_wipe", self.wipe)

    async def held(self) -> dict[Pubkey, Pubkey]:
        return {LISTING: RENTAL}

    async def containers(self) -> list[Any]:
        return [SimpleNamespace(role=BACKGROUND, listing=str(LISTING))]

    async def remove(self, job: Any, *, grace: int) -> None:
        assert grace > 0, "it saves its work"
        self.ended.append(job.listing)

    async def now_and_known(self, kind: object, addresses: list[Pubkey]) -> tuple[int, dict[Pubkey, Any]]:
        known = kind is Listing and self.is_open
        return 0, dict.fromkeys(addresses) if known else {}

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
    await place.left.look()
    assert place.wiped == ([] if is_left else [RENTAL])


@pytest.mark.parametrize(("ahead", "is_left"), [(None, False), (-1, False), (60, True)])
async def test_look__rental_that_no_node_remembers__is_wiped_once_its_deadline_is_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ahead: int | None, is_left: bool
) -> None:
    place, file = Place(tmp_path, FORGOTTEN, monkeypatch), Deadlines(tmp_path).file(LISTING)
    if ahead is not None:
        file.parent.mkdir()
        file.write_text(f"{time.time() + ahead:.0f}\n")
    await place.left.look()
    assert place.wiped == ([] if is_left else [RENTAL])


async def test_look__served_here_by_another_agent_or_from_another_directory__is_not_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path, ENDED, monkeypatch)
    place.is_open = False
    for folder in (tmp_path, tmp_path / "other"):
        with claimed(LISTING, folder, RuntimeError("busy")):
            await place.left.look()
    lock_of(LISTING, tmp_path).unlink()
    await place.left.look()
    assert (place.wiped, place.ended) == ([], [])


async def test_look__served_by_this_agent__its_tenant_is_not_touched(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path, ENDED, monkeypatch)
    await place.left.look([LISTING])
    assert place.wiped == []


@pytest.mark.parametrize("served", [[], [LISTING]])
async def test_look__background_job__ends_with_its_listing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, served: list[Pubkey]
) -> None:
    place = Place(tmp_path, RUNS, monkeypatch)
    with nullcontext() if not served else claimed(LISTING, tmp_path, RuntimeError("busy")):
        await place.left.look(served)
        assert place.ended == []
        place.is_open = False
        await place.left.look(served)
    assert (place.wiped, place.ended) == ([], [str(LISTING)])


async def test_run__tenant_that_could_not_be_wiped__is_wiped_by_a_later_look(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Place(tmp_path, ENDED, monkeypatch)
    place.fails = True
    await place.left.look()
    pauses = list[float]()

    async def passed(seconds: float) -> None:
        pauses.append(seconds)
        if place.wiped:
            raise asyncio.CancelledError
        place.fails = len(pauses) < 2

    monkeypatch.setattr(leftovers, "asyncio", SimpleNamespace(sleep=passed))
    with pytest.raises(asyncio.CancelledError):
        await place.left.run(())
    assert place.wiped == [RENTAL] and pauses == [LOOK_SECONDS] * 3, "the first look was before serving"
