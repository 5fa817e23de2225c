"""Acts that are refused for this moment alone are done again."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from anchor_client.errors.program import refusal
from anchor_client.generated import errors as refusals
from anchor_client.market.again import ATTEMPTS, again
from anchor_idl.runtime.program_errors import ProgramError


@pytest.fixture(autouse=True)
def slept(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    seconds: list[float] = []

    async def sleep(each: float) -> None:
        seconds.append(each)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    return seconds


async def tried(errors: Sequence[type[ProgramError]]) -> int:
    """Number of tries until one that is refused by none of these, each once."""
    left, tries = [*errors], 0

    @again
    async def act() -> str:
        nonlocal tries
        tries += 1
        if left:
            raise refusal(left.pop(0).code)
        return "done"

    assert await act() == "done"
    return tries


@pytest.mark.parametrize("error", [refusals.JustPlaced, refusals.JustWithdrawn])
async def test_act__refused_for_this_second__is_done_a_second_later(
    error: type[ProgramError], slept: list[float]
) -> None:
    assert await tried([error]) == 2 and slept == [1.0]


async def test_act__built_before_there_was_a_meter__is_built_anew_at_once(slept: list[float]) -> None:
    assert await tried([refusals.MeterMissing]) == 2 and slept == []


@pytest.mark.parametrize("error", [refusals.JustPlaced, refusals.MeterMissing])
async def test_act__refused_every_time__says_so_in_the_end(error: type[ProgramError]) -> None:
    with pytest.raises(error):
        await tried([error] * ATTEMPTS)


async def test_act__refused_for_good__is_not_done_again() -> None:
    with pytest.raises(refusals.GraceNotOver):
        await tried([refusals.GraceNotOver])
