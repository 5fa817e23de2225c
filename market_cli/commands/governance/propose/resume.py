"""`gpu-market governance propose resume`."""

from __future__ import annotations

from anchor_client.generated.types import ActionSetPaused
from market_cli.acting import acting
from market_cli.commands.governance.arguments import Title
from market_cli.commands.governance.propose.pause import Area, area_named
from market_cli.commands.governance.propose.proposing import propose
from market_cli.session import Session


@acting
async def resume(session: Session, area: Area, title: Title = "") -> None:
    """Resume a paused area. A guardian can pause, but only a vote can resume."""
    await propose(session, ActionSetPaused(area_named(area), paused=False), title)
