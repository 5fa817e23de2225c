"""`gpu-market host earnings`."""

from __future__ import annotations

import csv
import sys
from datetime import UTC, datetime
from typing import Annotated

import typer

from anchor_client.amounts import exact_usd, tokens, usd
from anchor_client.api.earnings import Earning, EarningsApi
from anchor_client.generated.pdas import find_host
from anchor_client.service.optional import optional
from anchor_client.solana.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.arguments import HostWallet
from market_cli.errors import BadOption
from market_cli.output import table
from market_cli.session import CliSession
from market_cli.units import moment

COLUMNS = ("time", "job", "seconds", "amount", "token", "mint", "usd", "transaction")


@acting
async def earnings(
    session: CliSession,
    authority: HostWallet = None,
    since: Annotated[
        str | None, typer.Option("--since", metavar="DATE", help="From this day on (UTC).", show_default=False)
    ] = None,
    until: Annotated[
        str | None, typer.Option("--until", metavar="DATE", help="Before this day (UTC).", show_default=False)
    ] = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print CSV, for example for a tax return.")] = False,
) -> None:
    """Show a host's payments, oldest first, each valued at the market's price of that moment."""
    start = _day(since) or 0
    end = _day(until)
    market = session.market
    symbols = await market.reads.tokens()
    host = find_host(session.owner(authority), market.program_id)[0]
    async with EarningsApi(session.api_url) as api:
        found = [earning async for earning in api.earnings(host, since=start, until=end)][::-1]
    rows = [_row(earning, symbols.symbol(parse_address(earning.payout.mint))) for earning in found]
    if as_csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(COLUMNS)
        writer.writerows(rows)
        sys.stdout.flush()
        return
    shown = table("time", "job", "seconds", "amount", "usd", numbers=("seconds", "amount", "usd"))
    for earning, row in zip(found, rows, strict=True):
        worth = optional(usd, earning.usd) or "—"
        shown.add_row(moment(earning.payout.ts), row[1], row[2], f"{row[3]} {row[4]}", worth)
    documents = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    total = sum(earning.usd or 0 for earning in found)
    unvalued = sum(earning.usd is None for earning in found)
    text = f"{usd(total)} in total"
    if unvalued:
        text += f", without {unvalued} payments of unknown price"
    for_people = [shown, text] if found else ["No payments."]
    session.out.show({"payments": documents, "usd": exact_usd(total)}, *for_people)


def _row(earning: Earning, symbol: str) -> tuple[str, ...]:
    payout = earning.payout
    return (
        datetime.fromtimestamp(payout.ts, UTC).isoformat(),
        payout.job,
        str(payout.seconds),
        tokens(payout.amount, payout.decimals).replace(",", ""),
        symbol,
        payout.mint,
        optional(exact_usd, earning.usd) or "",
        payout.tx,
    )


def _day(text: str | None) -> int | None:
    """The first second of a day. BadOption."""
    if text is None:
        return None
    try:
        return int(datetime.strptime(text, "%Y-%m-%d").replace(tzinfo=UTC).timestamp())
    except ValueError as error:
        raise BadOption(f"{text!r} is not a day", "Write it like 2026-01-31.") from error
