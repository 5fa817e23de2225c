"""`gpu-market up` interrupted while it starts, with a market that only waits."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from local_market.stack import stack
from market_cli.commands.services import own_machine
from market_cli.main import main
from tests.market_cli.surroundings import only_of

STEPS = ("start", "add", "wait")


@dataclass
class Running:
    """A market's words about itself."""

    wallet: str = "renter.json"

    @contextmanager
    def published(self, path: Path) -> Iterator[None]:
        """Publishes nothing."""
        yield


class WaitingMarket:
    """A market whose owner presses Ctrl-C during a step."""

    interrupted_in = ""

    def __init__(self, *_: Any, **__: Any) -> None:
        self.running = Running()
        self.started_in = 1.0
        self.stopped = 0

    async def _reach(self, step: str) -> None:
        if step == self.interrupted_in:
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.Event().wait()

    async def start(self) -> None:
        await self._reach("start")

    async def add(self, _name: str, _serve: object) -> None:
        await self._reach("add")

    async def wait(self) -> None:
        await self._reach("wait")

    async def stop(self) -> None:
        self.stopped += 1


class NoMachine:
    """This computer, not offered."""

    listing = None
    note = ""

    def __init__(self, *_: Any) -> None:
        pass

    async def serve(self) -> None:
        pass


async def an_engine() -> None:
    """An engine that answers."""


@pytest.mark.parametrize("step", STEPS)
def test_up_docker__interrupted__is_ready_only_once_all_has_started(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    only_of(tmp_path, monkeypatch)
    monkeypatch.setattr(WaitingMarket, "interrupted_in", step)
    monkeypatch.setattr(stack, "LocalMarket", WaitingMarket)
    monkeypatch.setattr(own_machine, "OwnMachine", NoMachine)
    monkeypatch.setattr(own_machine, "require_engine", an_engine)
    assert main(["up", "--docker", "--data", str(tmp_path / "market")]) == 0
    printed = "".join(capsys.readouterr())
    assert ("Ready in" in printed) == (step == "wait")
    assert "Stopped." in printed
