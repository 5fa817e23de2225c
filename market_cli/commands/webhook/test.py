"""`gpu-market webhook test`."""

from __future__ import annotations

import msgspec

from market_cli.acting import acting
from market_cli.commands.arguments import RowId
from market_cli.commands.webhook.asking import asking
from market_cli.plain_text import theirs
from market_cli.session import CliSession


@acting
async def test(session: CliSession, id: RowId) -> None:
    """Send a test notice to a webhook; `deliveries` shows the result."""
    async with asking(session) as api:
        sent = await api.test(id)
    session.out.show(msgspec.structs.asdict(sent), theirs(sent.id))
