"""`gpu-market wallet close-profile`."""

from __future__ import annotations

from market_cli.acting import acting
from market_cli.session import CliSession


@acting
async def close_profile(session: CliSession) -> None:
    """Close your renter profile and reclaim its rent. Requires that you have no open jobs. Earned quota is lost."""
    sent = await session.signing.rental.unregister()
    session.out.sent(sent, "Closed your renter profile.", wallet=str(session.signing.address))
