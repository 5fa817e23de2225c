"""`gpu-market webhook replay`."""

from __future__ import annotations

import time
from typing import Annotated

import msgspec
import typer

from market_cli.acting import acting
from market_cli.commands.arguments import RowId
from market_cli.commands.webhook.asking import asking
from market_cli.errors import BadOption
from market_cli.session import CliSession
from market_cli.units import parse_duration


@acting
async def replay(
    session: CliSession,
    id: RowId,
    delivery: Annotated[str | None, typer.Argument(help="Id, as in `deliveries`.")] = None,
    since: Annotated[str | None, typer.Option(help="All notices of this last period, such as 2h.")] = None,
    failed: Annotated[bool, typer.Option("--failed", help="Only failed ones.")] = False,
) -> None:
    """Resend a notice, or all of a recent period, with the same ids."""
    if (delivery is None) == (since is None):
        raise BadOption("Give a delivery, or a period with --since")
    async with asking(session) as api:
        if delivery is not None:
            done = await api.replay(id, delivery)
        else:
            moment = int(time.time()) - parse_duration(since or "")
            done = await api.replay_since(id, moment, failed_only=failed)
    session.out.show(msgspec.structs.asdict(done), f"Sent again: {done.replayed}")
