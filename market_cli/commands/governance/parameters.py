"""`gpu-market governance parameters`."""

from __future__ import annotations

from anchor_client.market.governance.words import say_parameter
from anchor_client.resources.market import MarketSettings, Pause, market_settings
from market_cli.acting import acting
from market_cli.output import details
from market_cli.session import CliSession
from market_cli.units import moment


@acting
async def parameters(session: CliSession) -> None:
    """Show the market's keys, pauses and parameters, and whether it is a test market."""
    reads = session.market.reads
    settings = market_settings(await reads.market(), await reads.now())
    session.out.show(settings, details(*_rows(settings)))


def _rows(settings: MarketSettings) -> list[tuple[str, str]]:
    return [
        ("testing", "yes: for tests, with wider bounds, permanently" if settings.testing else "no"),
        ("authority", str(settings.authority)),
        ("guardian", str(settings.guardian)),
        ("treasury", str(settings.treasury)),
        ("paused", ", ".join(map(_pause, settings.paused)) or "nothing"),
        *((name, say_parameter(name, int(value))) for name, value in settings.parameters.items()),
    ]


def _pause(pause: Pause) -> str:
    if pause.until is None:
        return pause.area
    return f"{pause.area} until {moment(pause.until)}"
