"""`gpu-market governance propose parameter`."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated

import typer

from anchor_client.generated.types import ActionSetParameter, MarketParameter
from market_cli.acting import acting
from market_cli.commands.governance.arguments import Title
from market_cli.commands.governance.propose.proposing import propose
from market_cli.errors import BadOption
from market_cli.session import Session

NAMES = tuple(parameter.name.lower() for parameter in MarketParameter)


@acting
async def parameter(
    session: Session,
    name: Annotated[str, typer.Argument(help="Such as spot_fee_bps or tip_lamports.")],
    value: Annotated[int, typer.Argument(help="Base units, seconds, lamports, micro-USD or basis points.", min=0)],
    title: Title = "",
) -> None:
    """Set a parameter of the market."""
    known = name.lower().replace("-", "_")
    if known not in NAMES:
        near = get_close_matches(known, NAMES, n=1)
        remedy = f"Did you mean {near[0]}?" if near else f"Choose one of: {', '.join(NAMES)}."
        raise BadOption(f"{name!r} is not a parameter of the market", remedy)
    if value >= 2**64:
        raise BadOption(f"{value} is too large for a parameter", "Choose a value within the parameter's bounds.")
    await propose(session, ActionSetParameter(MarketParameter[known.upper()], value), title)
