"""The machine behind a listing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from solders.pubkey import Pubkey

from anchor_client.connection import Connection
from anchor_client.orders import OrderDocument


class MeteredUsage(NamedTuple):
    """A tenant's metered usage."""

    sent_bytes: int
    """Bytes sent by its container since the container's last start."""
    workspace_bytes: int


class Machine(Protocol):
    """Runs one order at a time and is wiped in between.

    Every method but `connection` may be cancelled and called again. MachineFault if the machine fails.
    """

    @property
    def tenant(self) -> Pubkey | None:
        """The rental that holds the machine, or whose data is not yet fully wiped."""

    @property
    def faults(self) -> Sequence[str]:
        """Faults of its hardware, for which it takes no orders."""

    async def recover(self) -> None:
        """Reads the state that an earlier run of the agent left on the machine."""

    def connection(self, rental: Pubkey, order: OrderDocument) -> Connection:
        """Connection for the renter; always the same. OrderUnwanted, InvalidOrder."""

    async def examine(self, order: OrderDocument) -> None:
        """Checks what is known of an order's image before the order is accepted. OrderRefused."""

    async def provision(
        self, rental: Pubkey, order: OrderDocument, *, until_exit: bool = False, within: float | None = None
    ) -> None:
        """Ends the background job and runs the order; the renter can connect once this returns. OrderRefused.

        With `until_exit` the order's command is not restarted after its end. An image or a kept workspace that is
        not there after `within` seconds is too slow.
        """

    async def exit_code(self, rental: Pubkey) -> int | None:
        """Exit code of the command of an order run with `until_exit`, 0 to 255; None while it runs."""

    async def holds(self, rental: Pubkey) -> bool:
        """True if a provisioned rental still has all its resources, and runs."""

    def keep_for(self, seconds: float) -> None:
        """Ends the tenant's order after `seconds`, even without further calls; a later call moves that time."""

    async def checkpoint(self, rental: Pubkey, seconds: float) -> None:
        """Runs the order's checkpoint command, if it has one and its container runs, up to a time limit."""

    async def usage(self, rental: Pubkey) -> MeteredUsage | None:
        """Usage of a rental; None if there is nothing to measure."""

    async def vacate(self) -> None:
        """Ends the tenant's order and wipes all its data."""

    async def idle(self) -> None:
        """Runs the background job, if there is one, while the machine is not rented."""
