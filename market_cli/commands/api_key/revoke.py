"""`gpu-market api-key revoke`."""

from __future__ import annotations

from market_cli.acting import acting
from market_cli.commands.arguments import RowId
from market_cli.session import CliSession
from market_cli.signing.signed_in import accounts, tokens_of


@acting
async def revoke(session: CliSession, id: RowId) -> None:
    """Revoke an API key, effective immediately."""
    async with accounts(session) as api:
        await api.revoke_key(await tokens_of(session, api), id)
    session.out.show({"revoked": id}, "Revoked.")
