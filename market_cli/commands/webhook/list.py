"""`gpu-market webhook list`."""

from __future__ import annotations

from market_cli.acting import acting
from market_cli.commands.webhook.asking import asking, document, state
from market_cli.output import table
from market_cli.plain_text import theirs
from market_cli.session import CliSession


@acting
async def list_(session: CliSession) -> None:
    """List your webhooks, without their secrets."""
    async with asking(session) as api:
        found = await api.list()
    shown = table("id", "url", "types", "state")
    for webhook in found:
        shown.add_row(theirs(webhook.id), theirs(webhook.url), str(len(webhook.types)), state(webhook))
    session.out.show({"webhooks": [document(webhook) for webhook in found]}, shown)
