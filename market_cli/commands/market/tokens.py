"""`gpu-market tokens`."""

from __future__ import annotations

from anchor_client.generated.constants import BPS
from market_cli.acting import acting
from market_cli.output import table
from market_cli.session import CliSession

PERCENT = BPS // 100


@acting
async def tokens(session: CliSession) -> None:
    """Show the payment tokens and their effect on the price."""
    found = await session.market.payment_tokens()
    rows = table("token", "mint", "subsidy", "burned", "extra fee", "freezable", "")
    for each in found:
        rows.add_row(
            each.token or "—",
            str(each.mint),
            *(_percent(bps) for bps in (each.subsidy_bps, each.burn_bps, each.extra_fee_bps)),
            "by its issuer" if each.freezable else "no",
            "" if each.enabled else "no new orders",
        )
    session.out.show(found, rows)


def _percent(bps: int) -> str:
    return f"{bps // PERCENT}.{bps % PERCENT:02} %"
