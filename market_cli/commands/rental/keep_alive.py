"""`gpu-market keep-alive`."""

from __future__ import annotations

from contextlib import aclosing
from typing import Annotated

import typer

from anchor_client.amounts import Denomination
from anchor_client.amounts import duration as say_duration
from anchor_client.errors import AllowanceSpent, GpuMarketError
from anchor_client.market.rental.allowance import BEFORE, Allowance
from anchor_client.market.rental.keep_alive import Extended, KeepAlive
from market_cli.acting import acting
from market_cli.commands.arguments import JobId
from market_cli.session import CliSession
from market_cli.units import base_units, parse_duration


@acting
async def keep_alive(
    session: CliSession,
    *,
    job: JobId,
    max_extensions: Annotated[
        int, typer.Option("--max-extensions", min=1, help="Maximum number of extensions, including past ones.")
    ],
    max_total: Annotated[
        str, typer.Option("--max-total", help="Maximum total cost of all extensions, in the rental's token.")
    ],
    extend_by: Annotated[
        str, typer.Option("--extend-by", help="Additional time per extension: 1h, 30m, or seconds.")
    ] = "1h",
    before: Annotated[str, typer.Option("--before", help="Extend when less paid time is left.")] = f"{BEFORE}s",
    once: Annotated[bool, typer.Option("--once", help="Extend if due now, and exit (for cron).")] = False,
) -> None:
    """Keep a job running: extend it whenever little paid time is left, up to a number and a total cost.

    Run it on a computer that stays on. You can kill and restart it at any time, or run it twice: the used part of the
    allowance is read from the chain. Exits when the job ends or the allowance is used up.
    """
    address = await session.job(job)
    market = session.signing
    rental = await market.reads.rental(address)
    token = await market.reads.denomination(rental.mint)
    total = base_units(max_total, token.decimals)
    allowance = Allowance(parse_duration(extend_by), max_extensions, total, parse_duration(before))
    keeper = KeepAlive(market.session)
    if once:
        extended = await keeper.extend_if_due(address, rental, allowance)
        _say(session, extended or await keeper.so_far(address), token)
        return
    async with aclosing(keeper.run(address, allowance)) as happenings:
        async for happened in happenings:
            if isinstance(happened, GpuMarketError):
                goes_on = "retrying"
                if isinstance(happened, AllowanceSpent):
                    goes_on = "no further extensions"
                session.out.warn(f"{happened.message}: {goes_on}.")
            else:
                _say(session, happened, token)


def _say(session: CliSession, extended: Extended, token: Denomination) -> None:
    document = {"extensions": extended.times, "spent": str(extended.spent), "duration": extended.duration}
    text = f"Extended {extended.times} times for {token.say(extended.spent)}, to {say_duration(extended.duration)}"
    session.out.show(document, text)
