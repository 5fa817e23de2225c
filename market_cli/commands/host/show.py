"""`gpu-market host show`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.console import Console
from solders.pubkey import Pubkey

from anchor_client.amounts import usd
from anchor_client.generated.accounts import Host
from anchor_client.generated.constants import (
    REPUTATION_COMPLETION_PERCENT,
    REPUTATION_RATING_PERCENT,
    REPUTATION_UPTIME_PERCENT,
)
from anchor_client.rules.host import Reputation
from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.output import Json, table
from market_cli.session import Session
from market_cli.units import duration

HostWallet = Annotated[
    str | None, typer.Argument(metavar="[WALLET]", help="Host wallet; default: yours.", show_default=False)
]


@acting
async def show(session: Session, authority: HostWallet = None) -> None:
    """Show a host's reputation and its components."""
    wallet = host_wallet(session, authority)
    host = await session.market.reads.host(wallet)
    session.out.show(host_document(host), lambda console: _print(console, host))


def host_wallet(session: Session, authority: str | None) -> Pubkey:
    """The named host, by default the wallet itself. WalletNeeded, BadAddress."""
    return session.wallet.pubkey if authority is None else parse_address(authority)


def reputation_of(host: Host) -> Reputation:
    """What has been counted for a host up to now."""
    return Reputation(
        tracked_seconds=host.tracked_seconds,
        up_seconds=host.up_seconds,
        rating_sum=host.rating_sum,
        rating_weight=host.rating_weight,
        completed=host.completed,
        failed=host.failed,
    )


def host_document(host: Host) -> Json:
    """A host for programs; shares are basis points, null without data, and times unix seconds."""
    counted = reputation_of(host)
    return {
        "authority": str(host.authority),
        "approved": host.approved != 0,
        "open_listings": host.open_listings,
        "score_bps": host.score if host.scored_at else None,
        "scored_at": host.scored_at or None,
        "counted": {
            "score_bps": counted.score_bps_floor,
            "tracked_seconds": counted.tracked_seconds,
            "up_seconds": counted.up_seconds,
            "uptime_bps": counted.uptime_bps,
            "rating_sum": counted.rating_sum,
            "rating_weight": counted.rating_weight,
            "rating_bps": counted.rating_bps,
            "completed": counted.completed,
            "failed": counted.failed,
            "completion_bps": counted.completion_bps,
        },
    }


def percent(bps: int | None) -> str:
    """Basis points as people read them."""
    return "no data (counts as 50 %)" if bps is None else f"{bps // 100}.{bps % 100:02d} %"


def _print(console: Console, host: Host) -> None:
    counted = reputation_of(host)
    score = percent(host.score) if host.scored_at else "not scored yet"
    when = f", scored {datetime.fromtimestamp(host.scored_at, UTC):%Y-%m-%d %H:%M} UTC" if host.scored_at else ""
    rows = table(None, "part", "share", "value", "of", numbers=("share",))
    for part in _parts(counted):
        rows.add_row(*part)
    console.print(f"{host.authority}  reputation {score}{when}")
    console.print(f"Computed from the counters now, it would be {percent(counted.score_bps_floor)}:")
    console.print(rows)


def _parts(counted: Reputation) -> list[tuple[str, str, str, str]]:
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
            f"weighted by {usd(counted.rating_weight)} paid by raters",
        ),
        (
            "completed",
            f"{REPUTATION_COMPLETION_PERCENT} %",
            percent(counted.completion_bps),
            f"{counted.completed} completed, {counted.failed} failed",
        ),
    ]
