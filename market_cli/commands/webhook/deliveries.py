"""`gpu-market webhook deliveries`."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from market_cli.acting import acting
from market_cli.commands.arguments import RowId
from market_cli.commands.webhook.asking import asking
from market_cli.output import table
from market_cli.plain_text import theirs
from market_cli.session import CliSession
from market_cli.units import moment


@acting
async def deliveries(
    session: CliSession,
    id: RowId,
    status: Annotated[str | None, typer.Option(help="waiting, delivered or failed; default: all")] = None,
    limit: Annotated[int, typer.Option(min=1, max=200, help="Maximum number to show.")] = 50,
) -> None:
    """List deliveries to a webhook, newest first, with their results."""
    async with asking(session) as api:
        page = await api.deliveries(id, status, limit)
    shown = table("id", "type", "status", "attempts", "response", "made", "next")
    for each in page.deliveries:
        response = str(each.response) if each.error is None or each.response else each.error
        following = "" if each.next_at is None else moment(each.next_at)
        attempts = str(each.attempts)
        shown.add_row(
            theirs(each.id),
            theirs(each.type),
            theirs(each.status),
            attempts,
            theirs(response) if each.attempts else "",
            moment(each.created_at),
            following,
        )
    session.out.show(msgspec.to_builtins(page), shown)
