"""`gpu-market request cancel`."""

from __future__ import annotations

from anchor_client.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.request.render import request_table
from market_cli.commands.request.show import RequestId
from market_cli.session import Session


@acting
async def cancel(session: Session, request: RequestId) -> None:
    """Cancel a request; deposit, rent and tips are refunded in the same transaction."""
    ended = await session.signing.request.cancel(parse_address(request))
    session.out.show(ended, lambda console: console.print(request_table(ended)))
