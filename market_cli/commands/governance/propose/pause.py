"""`gpu-market governance propose pause`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.generated.types import ActionSetPaused, PauseArea
from market_cli.acting import acting
from market_cli.commands.governance.arguments import Title
from market_cli.commands.governance.propose.proposing import propose
from market_cli.errors import BadOption
from market_cli.session import Session

AREAS = tuple(area.name.lower() for area in PauseArea)
Area = Annotated[str, typer.Argument(help=", ".join(AREAS) + ".")]


@acting
async def pause(session: Session, area: Area, title: Title = "") -> None:
    """Pause new orders, hosts or prices. Refunds and payouts are never paused."""
    await propose(session, ActionSetPaused(area_named(area), paused=True), title)


def area_named(name: str) -> PauseArea:
    """The area of that name. BadOption."""
    if name.lower() not in AREAS:
        raise BadOption(f"{name!r} is not an area of the market", f"Choose one of: {', '.join(AREAS)}.")
    return PauseArea[name.upper()]
