"""`gpu-market webhook add`."""

from __future__ import annotations

from typing import Annotated

import typer

from market_cli.acting import acting
from market_cli.commands.webhook.arguments import LowFunds, Topics, Types
from market_cli.commands.webhook.asking import asking, check_url, chosen, document
from market_cli.plain_text import theirs
from market_cli.session import CliSession


@acting
async def add(
    session: CliSession,
    url: Annotated[str, typer.Argument(help="https URL that receives the notices.")],
    type: Types = None,
    topic: Topics = None,
    low_funds: LowFunds = None,
) -> None:
    """Send notices to a URL. Shows their signing secret, only once."""
    check_url(url)
    async with asking(session) as api:
        made = await api.add(url, **chosen(type, topic, low_funds))
    session.out.show(document(made), theirs(made.id), theirs(made.secret or ""))
