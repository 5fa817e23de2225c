"""The market's configuration."""

from __future__ import annotations

from anchor_client.generated.accounts import Market as Account
from anchor_client.generated.types import MarketParameter, PauseArea
from anchor_client.resources.base import Address, Resource, about
from anchor_client.rules.market import is_paused, paused_until


class Pause(Resource):
    """A paused area of the market."""

    area: str = about(examples=["orders"])
    until: int | None = about(
        description="Expiry of the guardian's pause; null until resumed for the authority's pause."
    )


class MarketSettings(Resource):
    """The market's keys, pauses and parameters."""

    testing: bool = about(description="True if it opened as a market for tests, whose parameters have wider bounds.")
    authority: Address
    guardian: Address
    treasury: Address
    market_mint: Address
    paused: tuple[Pause, ...]
    parameters: dict[str, str] = about(
        description="Base units, seconds, lamports, micro-USD or basis points, by name.",
        examples=[{"tip_lamports": "20000"}],
    )


def market_settings(market: Account, now: int) -> MarketSettings:
    """The settings of the market's account at `now`."""
    names = (parameter.name.lower() for parameter in MarketParameter)
    return MarketSettings.drawn_from(
        market,
        testing=bool(market.testing),
        paused=tuple(
            Pause.known(area=area.name.lower(), until=paused_until(market, area, now))
            for area in PauseArea
            if is_paused(market, area, now)
        ),
        parameters={name: str(getattr(market, name)) for name in names},
    )
