"""`gpu-market webhook change`."""

from __future__ import annotations

from typing import Annotated

import typer

from market_cli.acting import acting
from market_cli.commands.webhook.arguments import Id, LowFunds, Topics, Types
from market_cli.commands.webhook.asking import asking, chosen, details, document
from market_cli.session import CliSession


@acting
async def change(
    session: CliSession,
    id: Id,
    url: Annotated[str | None, typer.Option(help="URL that receives the notices; default: unchanged")] = None,
    type: Types = None,
    topic: Topics = None,
    low_funds: LowFunds = None,
    enable: Annotated[bool | None, typer.Option("--enable/--disable", help="Resume where it stopped, or stop.")] = None,
) -> None:
    """Change a webhook; omitted options keep their value."""
    changes = chosen(type, topic, low_funds) | ({} if url is None else {"url": url})
    async with asking(session) as api:
        changed = await api.change(id, **changes | ({} if enable is None else {"enabled": enable}))
    session.out.show(document(changed), details(changed))
