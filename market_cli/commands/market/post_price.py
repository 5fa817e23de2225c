"""`gpu-market post-price`."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Annotated

import typer

from anchor_client.errors import GpuMarketError
from anchor_client.oracle.poster import OracleMetrics, Poster, PriceSources, health_of
from anchor_client.oracle.settings import OracleSettings
from anchor_client.oracle.sources import PICO_USD, pico_usd_floor
from anchor_client.service.monitoring import serve_metrics
from anchor_client.service.pacing import stop_on_signals
from anchor_client.service.supervision import Supervisor
from market_cli.acting import acting
from market_cli.errors import BadAmount, BadOption
from market_cli.session import CliSession

STALE_TURNS = 3


@acting
async def post_price(
    session: CliSession,
    settings: OracleSettings,
    token: Annotated[str, typer.Argument(help="Symbol or mint address.")],
    price: Annotated[
        str | None, typer.Argument(help="Dollars per whole token, such as 0.05; default: what --sources say.")
    ] = None,
    every: Annotated[
        int | None,
        typer.Option(
            "--every", help="Repeat the post at this interval in seconds, until Ctrl-C.", min=1, show_default=False
        ),
    ] = None,
) -> None:
    """Post the price of a token as its oracle. Each post can move the price by a limited step.

    With --sources it posts the median of the sources that are fresh and agree, in steps; with fewer of them than
    --least-sources, or far from the posted price, it posts nothing. With --every, failed posts are reported on standard
    error and retried.
    """
    metrics = OracleMetrics(settings.named)
    supervisor = Supervisor.from_environment()
    mint = (await session.payment_mint(token)).mint
    poster = Poster(session.signing, mint, _price(settings, price, metrics), metrics)
    stopping = None if every is None else stop_on_signals(supervisor.stopping)
    turns = supervisor.loop()
    told = health_of(metrics, STALE_TURNS * (every or 0))
    with serve_metrics([metrics.registry], settings.metrics_host, settings.metrics_port, health=told):
        first = True
        while True:
            try:
                with turns:
                    sent, amount = await poster.post()
            except GpuMarketError as error:
                if every is None:
                    raise
                session.out.warn(f"{error.message}. {error.remedy}")
            else:
                if first:
                    dollars = f"{Decimal(amount) / PICO_USD:f}"
                    session.out.sent(
                        sent, f"{token} costs ${dollars}.", token=token, mint=str(mint), pico_usd=str(amount)
                    )
                    supervisor.ready()
                first = False
            if every is None or stopping is None or await supervisor.wait(stopping, every):
                break


def _price(settings: OracleSettings, price: str | None, metrics: OracleMetrics) -> int | PriceSources:
    if bool(price) == bool(settings.named):
        raise BadOption("A price is either given or taken from sources", "Pass PRICE, or --sources, and not both.")
    if price is None:
        return PriceSources(settings.named, settings.bounds, seconds=settings.source_timeout, metrics=metrics)
    try:
        return pico_usd_floor(Decimal(price))
    except InvalidOperation:
        raise BadAmount(f"{price!r} is not a price") from None
    except ValueError:
        raise BadAmount(f"A price of {price} dollars cannot be posted") from None
