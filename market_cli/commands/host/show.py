"""`gpu-market host show`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.console import Console
from solders.pubkey import Pubkey

from anchor_client.amounts import usd
from anchor_client.generated.constants import (
    REPUTATION_COMPLETION_PERCENT,
    REPUTATION_RATING_PERCENT,
    REPUTATION_UPTIME_PERCENT,
)
from anchor_client.resources.host import Host, ScoreInputs
from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.output import table
from market_cli.session import Session
from market_cli.units import duration

HostWallet = Annotated[
    str | None, typer.Argument(metavar="[WALLET]", help="Host wallet; default: yours.", show_default=False)
]


@acting
async def show(session: Session, authority: HostWallet = None) -> None:
    """Show a host's reputation and its components."""
    wallet = host_wallet(session, authority)
    host = await session.market.host.get(wallet)
    session.out.show(host, lambda console: _print(console, host))


def host_wallet(session: Session, authority: str | None) -> Pubkey:
    """The named host, by default the wallet itself. WalletNeeded, BadAddress."""
    return session.wallet.pubkey if authority is None else parse_address(authority)


def percent(bps: int | None) -> str:
    """Basis points as people read them."""
    return "no data (counts as 50 %)" if bps is None else f"{bps // 100}.{bps % 100:02d} %"


def _print(console: Console, host: Host) -> None:
    score = "not scored yet" if host.score_bps is None else percent(host.score_bps)
    when = f", scored {datetime.fromtimestamp(host.scored_at, UTC):%Y-%m-%d %H:%M} UTC" if host.scored_at else ""
    rows = table(None, "part", "share", "value", "of", numbers=("share",))
    for part in _parts(host.counted):
        rows.add_row(*part)
    console.print(f"{host.authority}  reputation {score}{when}")
    console.print(f"Computed from the counters now, it would be {percent(host.counted.score_bps)}:")
    console.print(rows)


def _parts(counted: ScoreInputs) -> list[tuple[str, str, str, str]]:
    return [
        (
            "uptime",
            f"{REPUTATION_UPTIME_PERCENT} %",
            percent(counted.uptime_bps),
            f"{duration(counted.up_seconds)} up of {duration(counted.tracked_seconds)} tracked",
        ),
        (
            "ratings",
            f"{REPUTATION_RATING_PERCENT} %",
            percent(counted.rating_bps),
            f"weighted by {usd(counted.rating_weight_usd)} paid by raters",
        ),
        (
            "completed",
            f"{REPUTATION_COMPLETION_PERCENT} %",
            percent(counted.completion_bps),
            f"{counted.rentals_completed} completed, {counted.rentals_failed} failed",
        ),
    ]
