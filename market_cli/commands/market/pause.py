"""`gpu-market pause`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.generated.types import PauseArea
from market_cli.acting import acting
from market_cli.commands.governance.arguments import one_of
from market_cli.session import CliSession

AREAS = tuple(area.name.lower() for area in PauseArea)


@acting
async def pause(
    session: CliSession,
    area: Annotated[str, typer.Argument(help=", ".join(AREAS) + ".")],
    resume: Annotated[bool, typer.Option("--resume", help="Resume it instead. Market authority only.")] = False,
) -> None:
    """Pause new orders, hosts or prices. The market authority's pause lasts until resumed; the guardian's lasts a week,
    with a week between. Refunds, payouts and endings are never paused.
    """
    paused = PauseArea[one_of(AREAS, area, "an area of the market").upper()]
    sent = await session.signing.set_paused(paused, paused=not resume)
    session.out.sent(sent, f"{area} {'resumed' if resume else 'paused'}.", area=area, paused=not resume)
