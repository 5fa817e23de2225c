"""`gpu-market governance propose rewards`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.errors import refusal
from anchor_client.generated import errors as refusals
from anchor_client.generated.types import ActionAddRewardMint
from market_cli.acting import acting
from market_cli.commands.governance.arguments import Title
from market_cli.commands.governance.propose.proposing import propose
from market_cli.session import Session


@acting
async def rewards(
    session: Session,
    token: Annotated[str, typer.Argument(metavar="MINT", help="Symbol or mint address.")],
    title: Title = "",
) -> None:
    """Let stakers earn rewards in another mint."""
    reads = session.market.reads
    mint, pool = (await reads.tokens()).mint(token), await reads.pool()
    paid = [stream.mint for stream in pool.rewards[: pool.streams]]
    if mint in paid:
        raise refusal(refusals.RewardMintExists.code, token)
    if len(paid) == len(pool.rewards):
        raise refusal(refusals.TooManyRewardMints.code)
    await propose(session, ActionAddRewardMint(mint), title)
