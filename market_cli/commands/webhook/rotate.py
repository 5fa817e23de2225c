"""`gpu-market webhook rotate`."""

from __future__ import annotations

from market_cli.acting import acting
from market_cli.commands.arguments import RowId
from market_cli.commands.webhook.asking import asking, document
from market_cli.plain_text import theirs
from market_cli.session import CliSession


@acting
async def rotate(session: CliSession, id: RowId) -> None:
    """Give a webhook a new secret, shown only once. For a day the old one signs too."""
    async with asking(session) as api:
        rotated = await api.rotate(id)
    session.out.show(document(rotated), theirs(rotated.secret or ""))
