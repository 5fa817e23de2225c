"""`gpu-market governance propose transfer`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.generated.types import ActionTreasuryTransfer
from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.governance.arguments import Title
from market_cli.commands.governance.propose.proposing import propose
from market_cli.session import Session
from market_cli.units import base_units


@acting
async def transfer(
    session: Session,
    amount: Annotated[str, typer.Argument(help="Amount of tokens, such as 1250.5.")],
    token: Annotated[str, typer.Argument(help="Symbol or mint address.")],
    to: Annotated[str, typer.Argument(metavar="WALLET", help="Recipient.")],
    title: Title = "",
) -> None:
    """Pay out of the treasury."""
    mint = (await session.market.reads.tokens()).mint(token)
    payment_mint = await session.market.reads.payment_mint(mint)
    recipient = parse_address(to)
    await propose(session, ActionTreasuryTransfer(mint, recipient, base_units(amount, payment_mint.decimals)), title)
