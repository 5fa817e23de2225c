"""Agents of one machine or of two, and a listing that both would serve."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client.generated.types import RentalState
from anchor_client.rules.listing import NOBODY
from host_agent.announcement import claimed
from host_agent.deadlines import Deadlines
from host_agent.errors import HostConfigurationError
from host_agent.preparation import LATE_SECONDS, _require_here
from tests.host_agent.test_service import listing, settings

LISTING, RENTAL = Keypair().pubkey(), Keypair().pubkey()
"""Random: the names of claimed listings are the machine's, and tests run side by side."""
BEAT, SILENCE, PAID = 10_000, 1_800, 100
"""When the listing was last heard from, how long it may be silent, and the paid time that is left then."""
HOUR = 3_600
BUSY = RuntimeError("busy")
OTHER = """
import sys
from pathlib import Path
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from host_agent.announcement import claimed
with claimed(Pubkey.from_string(sys.argv[1]), Path(sys.argv[2]), RuntimeError()):
    print("serves", flush=True)
    sys.stdin.read()
"""


@pytest.mark.parametrize("directory", ["first", "second"])
def test_agents__same_listing__the_second_does_not_start_before_the_first_has_ended(
    tmp_path: Path, directory: str
) -> None:
    command = (sys.executable, "-c", OTHER, str(LISTING), str(tmp_path / "first"))
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None and other.stdout.readline() == b"serves\n"
        with pytest.raises(RuntimeError, match="busy"), claimed(LISTING, tmp_path / directory, BUSY):
            pytest.fail("each would take the other's containers for its own")
        with claimed(Keypair().pubkey(), tmp_path / directory, BUSY):
            pass
        other.kill()
    with claimed(LISTING, tmp_path / directory, BUSY):
        pass


class Chain:
    """A cluster at a time, with a rental."""

    def __init__(self, now: int, state: RentalState, paid: int = HOUR) -> None:
        self.now = now
        self.rental = SimpleNamespace(state=state, started_at=BEAT, duration=paid)
        self.reads = self.program = self

    async def market(self) -> Any:
        return SimpleNamespace(offline_after=SILENCE)

    async def now_and_known(self, _: object, addresses: Iterable[Pubkey]) -> tuple[int, dict[Pubkey, Any]]:
        return self.now, {each: self.rental for each in addresses if each == RENTAL}


async def starts(state_dir: Path, chain: Chain, *, current: Pubkey = RENTAL) -> bool:
    """True if an agent does that has no tenant of the listing."""
    here = {LISTING: listing(current=current, last_heartbeat_at=BEAT)}
    try:
        await _require_here(settings(state_dir), cast(Any, chain), here)
    except HostConfigurationError as error:
        return "on another machine" not in error.message
    return True


async def test_agent__tenant_is_on_another_machine__starts_once_no_heartbeat_comes_from_there(tmp_path: Path) -> None:
    most = int(settings(tmp_path).pace.interval(SILENCE)) + LATE_SECONDS
    assert not await starts(tmp_path, Chain(BEAT, RentalState.RUNNING))
    assert not await starts(tmp_path, Chain(BEAT + most - 1, RentalState.RUNNING))
    assert await starts(tmp_path, Chain(BEAT + most, RentalState.RUNNING))


async def test_agent__no_tenant_can_be_elsewhere__starts(tmp_path: Path) -> None:
    assert await starts(tmp_path, Chain(BEAT, RentalState.RUNNING), current=NOBODY)
    assert await starts(tmp_path, Chain(BEAT, RentalState.PROVISIONING)), "nobody has begun it"
    assert not await starts(tmp_path, Chain(BEAT + PAID - 1, RentalState.RUNNING, PAID))
    assert await starts(tmp_path, Chain(BEAT + PAID, RentalState.RUNNING, PAID)), "it was wiped at the end of its time"


async def test_agent__this_machine_has_lost_its_tenant__starts_and_gives_them_up(tmp_path: Path) -> None:
    file = Deadlines(tmp_path).file(LISTING)
    file.parent.mkdir()
    file.write_text("1\n")
    assert await starts(tmp_path, Chain(BEAT, RentalState.RUNNING))
