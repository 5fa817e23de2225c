"""Keeps listings at the catalog's points, which their hosts' extra fees go by."""

from __future__ import annotations

from typing import Final

from anchor_client.generated.accounts import Catalog, Listing
from anchor_client.generated.instructions import refresh_points
from anchor_client.generated.pdas import find_catalog
from keeper.chores.chore import Errand, Look
from keeper.settings import ChoreName
from keeper.tasks import refresh_points as refresh_task

REFRESH_POINTS: Final = "refresh_points"


class Points:
    """Refreshes whatever listings have other points than the catalog's."""

    name: Final = ChoreName.POINTS

    async def find_due(self, look: Look) -> list[Errand]:
        """The listings to refresh; none before there is a catalog. Raises the network's errors."""
        reader, program = look.reader, look.reader.program_id
        catalog = await reader.read(Catalog, find_catalog(program)[0])
        if catalog is None:
            return []
        listings = await reader.read_all(Listing)
        return [
            Errand(
                REFRESH_POINTS,
                address,
                [[refresh_points(caller=look.payer, listing=address, host=listings[address].host, program_id=program)]],
            )
            for address in refresh_task.find_due(listings, catalog)
        ]
