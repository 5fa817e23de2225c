"""`gpu-market sign-in`."""

from __future__ import annotations

from market_cli.acting import acting
from market_cli.session import CliSession
from market_cli.signed_in import accounts, keep


@acting
async def sign_in(session: CliSession) -> None:
    """Sign in to the market's API with your wallet, for thirty days: you get higher limits, and can create API keys."""
    async with accounts(session) as api:
        tokens = await api.sign_in(session.wallet)
    keep(session.api_url, tokens)
    session.out.show({"wallet": tokens.wallet}, f"Signed in as {tokens.wallet}.")
