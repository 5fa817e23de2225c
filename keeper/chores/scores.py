"""Sets hosts' scores, a transaction an interval for every 24 machines of a host."""

from __future__ import annotations

from typing import Final

from anchor_client.generated.accounts import Host, Listing, Market
from anchor_client.generated.pdas import find_market
from anchor_client.market.cranks import reputation_updates
from keeper.chores.chore import Errand, Look
from keeper.settings import ChoreName
from keeper.tasks import update_reputation

UPDATE_REPUTATION: Final = "update_reputation"


class Scores:
    """Scores whatever hosts are due."""

    name: Final = ChoreName.SCORES

    async def find_due(self, look: Look) -> list[Errand]:
        """The hosts to score. Raises the network's errors."""
        reader = look.reader
        market = await reader.read(Market, find_market(reader.program_id)[0])
        if market is None:
            return []
        hosts, listings = await reader.read_all(Host), await reader.read_all(Listing)
        return [
            Errand(
                UPDATE_REPUTATION,
                due.host,
                [[instruction] for instruction in reputation_updates(due.host, due.listings, reader.program_id)],
            )
            for due in update_reputation.find_due(hosts, listings, market.reputation_interval, look.now)
        ]
