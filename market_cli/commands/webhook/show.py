"""`gpu-market webhook show`."""

from __future__ import annotations

from market_cli.acting import acting
from market_cli.commands.arguments import RowId
from market_cli.commands.webhook.asking import asking, details, document
from market_cli.session import CliSession


@acting
async def show(session: CliSession, id: RowId) -> None:
    """Show a webhook and its state."""
    async with asking(session) as api:
        found = await api.show(id)
    session.out.show(document(found), details(found))
