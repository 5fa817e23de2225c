"""Proposals that change the market's settings."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Annotated

import typer

from anchor_client.amounts import usd
from anchor_client.generated.pdas import find_host
from anchor_client.generated.types import (
    ActionApproveHost,
    ActionSetGpuModel,
    ActionSetKey,
    ActionSetParameter,
    ActionSetPaused,
    GpuTerms,
    MarketKey,
    MarketParameter,
    PauseArea,
)
from anchor_client.rules.catalog import find_gpu
from anchor_client.solana.wallet import parse_address
from anchor_client.symbols import MARKET_TOKEN
from market_cli.acting import acting
from market_cli.commands.arguments import SubsidyBudget
from market_cli.commands.governance.arguments import Title, one_of
from market_cli.commands.governance.propose.proposing import propose
from market_cli.errors import BadOption
from market_cli.session import CliSession
from market_cli.units import MAX_U32, base_units, micro_usd

PARAMETERS = tuple(parameter.name.lower() for parameter in MarketParameter)
KEYS = tuple(key.name.lower() for key in MarketKey)
AREAS = tuple(area.name.lower() for area in PauseArea)
MAX_POINTS = 2**16 - 1

Area = Annotated[str, typer.Argument(help=", ".join(AREAS) + ".")]


@acting
async def parameter(
    session: CliSession,
    name: Annotated[str, typer.Argument(help="Such as spot_fee_bps or tip_lamports.")],
    value: Annotated[int, typer.Argument(help="Base units, seconds, lamports, micro-USD or basis points.", min=0)],
    title: Title = "",
) -> None:
    """Set a parameter of the market."""
    known = name.lower().replace("-", "_")
    if known not in PARAMETERS:
        near = get_close_matches(known, PARAMETERS, n=1)
        if near:
            remedy = f"Did you mean {near[0]}?"
        else:
            remedy = f"Choose one of: {', '.join(PARAMETERS)}."
        raise BadOption(f"{name!r} is not a parameter of the market", remedy)
    if value >= 2**64:
        raise BadOption(f"{value} is too large for a parameter", "Choose a value within the parameter's bounds.")
    await propose(session, ActionSetParameter(MarketParameter[known.upper()], value), title)


@acting
async def key(
    session: CliSession,
    name: Annotated[str, typer.Argument(help=" or ".join(KEYS) + ".")],
    address: Annotated[str, typer.Argument(help="The new address.")],
    title: Title = "",
) -> None:
    """Replace the guardian or the treasury."""
    replaced = MarketKey[one_of(KEYS, name, "a key of the market").upper()]
    await propose(session, ActionSetKey(replaced, parse_address(address)), title)


@acting
async def pause(session: CliSession, area: Area, title: Title = "") -> None:
    """Pause new orders, hosts or prices. Refunds and payouts are never paused."""
    await propose(session, ActionSetPaused(_area(area), paused=True), title)


@acting
async def resume(session: CliSession, area: Area, title: Title = "") -> None:
    """Resume a paused area. A guardian's pause also expires after a week."""
    await propose(session, ActionSetPaused(_area(area), paused=False), title)


@acting
async def host(
    session: CliSession,
    wallet: Annotated[str, typer.Argument(help="Wallet of a registered host.")],
    subsidy: SubsidyBudget = "0",
    revoke: Annotated[bool, typer.Option("--revoke", help="Revoke the approval.")] = False,
    title: Title = "",
) -> None:
    """Approve a host to list machines."""
    authority = parse_address(wallet)
    await session.market.reads.host(authority)
    address = find_host(authority, session.settings.program_id)[0]
    budget = 0
    if not revoke:
        budget = base_units(subsidy, (await session.payment_mint(MARKET_TOKEN)).decimals)
    await propose(session, ActionApproveHost(address, approved=not revoke, subsidy_budget=budget), title)


@acting
async def gpu(
    session: CliSession,
    model: Annotated[str, typer.Argument(help="GPU model id, such as nvidia-h100-sxm5-80gb, or its number.")],
    points: Annotated[int, typer.Argument(help="Points per GPU.", min=0, max=MAX_POINTS)],
    reference: Annotated[
        str, typer.Argument(help="Reference price in dollars per GPU-hour, such as 2.76; 0 for none.")
    ],
    title: Title = "",
) -> None:
    """Set a model's GPU points, the measure for a host's lock against the extra fee, and its reference price, up to
    which orders in the market token are subsidised.
    """
    price = micro_usd(reference)
    if price > MAX_U32:
        raise BadOption(f"{reference} is not a valid price of a GPU-hour", f"Name at most {usd(MAX_U32)}.")
    await propose(session, ActionSetGpuModel(find_gpu(model).id, GpuTerms(points, price)), title)


def _area(name: str) -> PauseArea:
    return PauseArea[one_of(AREAS, name, "an area of the market").upper()]
