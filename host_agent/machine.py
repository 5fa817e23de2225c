"""What stands behind a listing."""

from __future__ import annotations

from typing import Protocol

from solders.pubkey import Pubkey

from anchor_client.orders import OrderDocument
from anchor_client.sealing import Connection


class Machine(Protocol):
    """One order at a time has it; between two nothing is left of the first.

    Every method but `connection` may be cancelled and called again. MachineFault where the machine fails.
    """

    @property
    def tenant(self) -> Pubkey | None:
        """The rental that has the machine, or whose traces are not all wiped yet."""

    async def recover(self) -> None:
        """Finds out what an earlier run of the agent has left on the machine."""

    def connection(self, rental: Pubkey, order: OrderDocument) -> Connection:
        """How the renter will get in; the same whenever it is asked."""

    async def provision(self, rental: Pubkey, order: OrderDocument) -> None:
        """Ends the background job and runs the order; the renter can get in once this returns. OrderRefused."""

    async def holds(self, rental: Pubkey) -> bool:
        """Whether a provisioned rental still has all that it was given, and runs."""

    async def vacate(self) -> None:
        """Ends the tenant's order and wipes whatever it has left."""

    async def idle(self) -> None:
        """Nobody has the machine: runs the background job, if there is one."""
