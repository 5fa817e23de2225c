"""`gpu-market post-price`."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Annotated

import typer

from anchor_client.errors import GpuMarketError
from anchor_client.generated.constants import PICO_PER_MICRO, USD
from anchor_client.service.pacing import stop_on_signals
from anchor_client.service.supervision import Supervisor
from market_cli.acting import acting
from market_cli.errors import BadAmount
from market_cli.session import CliSession

PICO_USD = PICO_PER_MICRO * USD


@acting
async def post_price(
    session: CliSession,
    token: Annotated[str, typer.Argument(help="Symbol or mint address.")],
    price: Annotated[str, typer.Argument(help="Dollars per whole token, such as 0.05.")],
    every: Annotated[
        int | None,
        typer.Option(
            "--every", help="Repeat the post at this interval in seconds, until Ctrl-C.", min=1, show_default=False
        ),
    ] = None,
) -> None:
    """Post the price of a token as its oracle. Each post can move the price by a limited step. With --every, failed
    posts are reported on standard error and retried.
    """
    amount = _pico_usd(price)
    supervisor = Supervisor.from_environment()
    mint = (await session.payment_mint(token)).mint
    sent = await session.signing.post_price(mint, amount)
    session.out.sent(sent, f"{token} costs ${price}.", token=token, mint=str(mint), pico_usd=str(amount))
    stopping = stop_on_signals(supervisor.stopping)
    turns = supervisor.loop()
    supervisor.ready()
    while every is not None and not await supervisor.wait(stopping, every):
        try:
            with turns:
                await session.signing.post_price(mint, amount)
        except GpuMarketError as error:
            session.out.warn(f"{error.message}. {error.remedy}")


def _pico_usd(text: str) -> int:
    try:
        exact = Decimal(text) * PICO_USD
    except InvalidOperation:
        raise BadAmount(f"{text!r} is not a price") from None
    if not 0 < exact < 2**64:
        raise BadAmount(f"A price of {text} dollars cannot be posted")
    return int(exact)
