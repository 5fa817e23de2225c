"""`gpu-market governance propose key`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.generated.types import ActionSetKey, MarketKey
from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.governance.arguments import Title
from market_cli.commands.governance.propose.proposing import propose
from market_cli.errors import BadOption
from market_cli.session import Session

NAMES = tuple(key.name.lower() for key in MarketKey)


@acting
async def key(
    session: Session,
    name: Annotated[str, typer.Argument(help=" or ".join(NAMES) + ".")],
    address: Annotated[str, typer.Argument(help="The new address.")],
    title: Title = "",
) -> None:
    """Replace the guardian or the treasury."""
    if name.lower() not in NAMES:
        raise BadOption(f"{name!r} is not a key of the market", f"Choose one of: {', '.join(NAMES)}.")
    await propose(session, ActionSetKey(MarketKey[name.upper()], parse_address(address)), title)
