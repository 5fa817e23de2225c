"""All simulated machines of a market."""

from __future__ import annotations

import asyncio
from functools import cached_property, partial
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Self

from solders.pubkey import Pubkey

from anchor_client.generated.accounts import Listing
from host_agent.agent import MachineOf
from local_market.machine.machine import AnsweringMachine
from local_market.stack.ports import LOOPBACK

if TYPE_CHECKING:
    from host_agent.identity import MachineIdentity


class AnsweringMachines:
    """The machines with their folders; leaving the context ends every tenant's programs."""

    def __init__(self, folder: Path, *, own_shell: bool = False) -> None:
        self.own_shell = own_shell
        self._folder = folder
        self._machines: list[AnsweringMachine] = []

    @cached_property
    def identity(self) -> MachineIdentity:
        """Keys and certificate of all machines."""
        from host_agent.identity import MachineIdentity  # noqa: PLC0415 - with the first tenant

        return MachineIdentity.load_or_create(self._folder / "identity", LOOPBACK)

    def of_region(self, region: str) -> MachineOf:
        """Makes the machines of a region's host."""
        return partial(self._make, region)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.gather(*(machine.close() for machine in self._machines))

    def _make(self, region: str, address: Pubkey, listing: Listing) -> AnsweringMachine:
        machine = AnsweringMachine(self._folder / str(address), region, address, listing, self)
        self._machines.append(machine)
        return machine
