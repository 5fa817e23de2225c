"""The machine behind a listing."""

from __future__ import annotations

from typing import NamedTuple, Protocol

from solders.pubkey import Pubkey

from anchor_client.connection import Connection
from anchor_client.orders import OrderDocument


class Usage(NamedTuple):
    """Usage of a tenant beside the machine itself."""

    sent_bytes: int
    """By its container's network, since that last started."""
    workspace_bytes: int


class Machine(Protocol):
    """Runs one order at a time and is wiped in between.

    Every method but `connection` may be cancelled and called again. MachineFault where the machine fails.
    """

    @property
    def tenant(self) -> Pubkey | None:
        """The rental that holds the machine, or whose data is not all wiped yet."""

    async def recover(self) -> None:
        """Finds out what an earlier run of the agent left on the machine."""

    def connection(self, rental: Pubkey, order: OrderDocument) -> Connection:
        """Connection for the renter; always the same. OrderUnwanted, InvalidOrder."""

    async def provision(self, rental: Pubkey, order: OrderDocument, *, until_exit: bool = False) -> None:
        """Ends the background job and runs the order; the renter can connect once this returns. OrderRefused.

        With `until_exit` the order's command is not run again once it has ended.
        """

    async def exit_code(self, rental: Pubkey) -> int | None:
        """Exit code of the command of an order run with `until_exit`, 0 to 255; None while it runs."""

    async def holds(self, rental: Pubkey) -> bool:
        """True where a provisioned rental still has everything it was given, and runs."""

    def keep_for(self, seconds: float) -> None:
        """Has the tenant's order end so many seconds from now, also if nobody calls any more, unless told later."""

    async def checkpoint(self, rental: Pubkey, seconds: float) -> None:
        """Runs the order's checkpoint command, if it has one and its container runs, for so long at most."""

    async def usage(self, rental: Pubkey) -> Usage | None:
        """Usage of a rental; None if there is nothing to measure."""

    async def vacate(self) -> None:
        """Ends the tenant's order and wipes whatever it left."""

    async def idle(self) -> None:
        """Runs the background job, if there is one, while nobody rents the machine."""
