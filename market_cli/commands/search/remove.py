"""`gpu-market search remove`."""

from __future__ import annotations

from market_cli.acting import acting
from market_cli.commands.arguments import RowId
from market_cli.commands.search.asking import asking
from market_cli.session import CliSession


@acting
async def remove(session: CliSession, id: RowId) -> None:
    """Remove a saved search: no more notices are sent for it."""
    async with asking(session) as api:
        await api.remove(id)
    session.out.show({"removed": id}, "Removed.")
