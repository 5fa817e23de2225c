"""Puts the firewall's rules back that something else on the machine has dropped, such as a reload of the firewall."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Final

import structlog

from host_agent.errors import MachineFault
from host_agent.network.egress import Egress

LOOK_SECONDS: Final = 5.0
"""Interval between looks at the rules."""

log = structlog.get_logger(__name__)


class FirewallWatch:
    """Watches the rules that isolate tenants, as `Egress` sets them."""

    def __init__(self, egress: Egress) -> None:
        self._egress = egress
        self._set: Sequence[str] | None = None
        """The rules as they were after they were set."""

    async def run(self) -> None:
        """Looks at the rules until cancelled."""
        while not self._egress.is_open:
            try:
                await self.look()
            except MachineFault as error:
                log.error("firewall_rules_unknown", error=error.message, remedy=error.remedy)
            await asyncio.sleep(LOOK_SECONDS)

    async def look(self) -> None:
        """Sets the rules again unless they are as they were set. MachineFault."""
        found = await self._egress.rules()
        if found == self._set:
            return
        await self._egress.enforce()
        now = await self._egress.rules()
        # An order, too, sets them, after the machine's name servers have changed.
        if self._set is not None and now != found:
            log.warning(
                "firewall_rules_restored",
                remedy="Let no other program flush the firewall: tenants reached this machine's networks until now.",
            )
        self._set = now
