"""`gpu-market sign-in`."""

from __future__ import annotations

from market_cli.acting import acting
from market_cli.lazy import load
from market_cli.session import CliSession
from market_cli.signing.signed_in import accounts, show_signed_in


@acting
async def sign_in(session: CliSession) -> None:
    """Sign in to the market's API with your wallet, for thirty days: you get higher limits, and can create API keys."""
    async with accounts(session) as api:
        if session.elsewhere is not None:
            text = await api.challenge(session.elsewhere)
            load("market_cli.signing.unsigned:print_sign_in")(session, session.elsewhere, text)
            return
        show_signed_in(session, await api.sign_in(session.wallet))
