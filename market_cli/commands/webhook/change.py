"""`gpu-market webhook change`."""

from __future__ import annotations

from typing import Annotated

import typer

from market_cli.acting import acting
from market_cli.commands.arguments import RowId
from market_cli.commands.webhook.arguments import LowFunds, Topics, Types
from market_cli.commands.webhook.asking import asking, check_url, chosen, details, document
from market_cli.session import CliSession


@acting
async def change(
    session: CliSession,
    id: RowId,
    url: Annotated[str | None, typer.Option(help="URL that receives the notices; default: unchanged")] = None,
    type: Types = None,
    topic: Topics = None,
    low_funds: LowFunds = None,
    enable: Annotated[bool | None, typer.Option("--enable/--disable", help="Resume where it stopped, or stop.")] = None,
) -> None:
    """Change a webhook; omitted options keep their value."""
    changes = chosen(type, topic, low_funds)
    if url is not None:
        check_url(url)
        changes["url"] = url
    if enable is not None:
        changes["enabled"] = enable
    async with asking(session) as api:
        changed = await api.change(id, **changes)
    session.out.show(document(changed), details(changed))
