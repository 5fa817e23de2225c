"""Maintenance of a host's machines with a date: no order runs past it, and they are offered again automatically."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Self

from solders.pubkey import Pubkey

from anchor_client.amounts import duration
from anchor_client.generated.accounts import Market
from anchor_client.service.private_files import replace_file
from host_agent.errors import HostConfigurationError
from host_agent.notices import RenterNotice

FILE: Final = "maintenance.json"
"""File in the agent's state directory."""
LOOK_MARGIN: Final = 120
"""Seconds that the agent may be late with a look at its listings, a transaction included."""
STEPS: Final = 8
"""A longest rental is lowered to this part less than the time left, so that few transactions are needed."""


@dataclass(frozen=True, slots=True)
class Maintenance:
    """Machines that are away from `at` to `until`, unix seconds."""

    listings: Sequence[Pubkey]
    at: int
    until: int

    @classmethod
    def read(cls, state_dir: Path) -> Self | None:
        """The plan of this machine; None without one. HostConfigurationError."""
        file = state_dir / FILE
        try:
            found = json.loads(file.read_bytes())
            return cls([Pubkey.from_string(each) for each in found["listings"]], int(found["at"]), int(found["until"]))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise HostConfigurationError(
                f"The plan of maintenance in {file} cannot be read",
                "Plan again (`gpu-market host maintenance --at`), or drop it with `--cancel`.",
            ) from error

    def write(self, state_dir: Path) -> None:
        """Keeps the plan where the agent reads it. OSError."""
        plan = {"listings": [str(each) for each in self.listings], "at": self.at, "until": self.until}
        replace_file(state_dir / FILE, json.dumps(plan).encode())
        if os.geteuid() == 0:
            # The agent of a unit is another user, who could not read root's file.
            owner = state_dir.stat()
            os.chown(state_dir / FILE, owner.st_uid, owner.st_gid)

    @staticmethod
    def remove(state_dir: Path) -> None:
        """Forgets the plan of this machine."""
        (state_dir / FILE).unlink(missing_ok=True)

    def notice(self) -> RenterNotice:
        """The plan for a tenant."""
        begin = datetime.fromtimestamp(self.at, UTC).strftime("%Y-%m-%d %H:%M UTC")
        return RenterNotice(
            f"The host has planned maintenance of this machine from {begin} on, for {duration(self.until - self.at)}. "
            "You keep the time that you have paid; an extension cannot run past that moment.",
            self.until,
        )

    def longest(self, owners: int, stated: int, market: Market, now: int) -> int | None:
        """Longest rental that a listing may offer at `now`, seconds; None for no rentals. `owners` is what its owner
        has set, and `stated` what it says.

        An order with the longest rental, placed until the agent's next change of it, starts late and still ends before
        `at`. An agent that is not there sends no heartbeats, so its machines take no orders after `offline_after`.
        """
        if now >= self.until:
            return owners
        lead = market.offline_after + LOOK_MARGIN
        left = self.at - now - lead - _latest_start(market)
        if owners <= left:
            return owners
        longest = left - left // STEPS
        if left - 2 * (left // STEPS) <= stated <= left:
            longest = stated
        if longest < market.min_duration:
            return None
        return longest


def _latest_start(market: Market) -> int:
    """Most seconds from an order to its start: it may wait for the holder to leave, and then for the machine."""
    return market.spot_grace + market.provision_timeout
