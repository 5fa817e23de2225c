"""`gpu-market search list`."""

from __future__ import annotations

from market_cli.acting import acting
from market_cli.commands.search.asking import asking, document, said
from market_cli.output import table
from market_cli.plain_text import theirs
from market_cli.session import CliSession
from market_cli.units import moment


@acting
async def list_(session: CliSession) -> None:
    """List your saved searches."""
    async with asking(session) as api:
        found = await api.list()
    shown = table("id", "name", "filters", "saved")
    for search in found:
        shown.add_row(*map(theirs, (search.id, search.name, said(search))), moment(search.created_at))
    session.out.show({"searches": [document(search) for search in found]}, shown)
