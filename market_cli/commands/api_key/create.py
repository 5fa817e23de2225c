"""`gpu-market api-key create`."""

from __future__ import annotations

from typing import Annotated

import msgspec
import typer

from anchor_client.service.optional import optional
from market_cli.acting import acting
from market_cli.plain_text import theirs
from market_cli.session import CliSession
from market_cli.signing.signed_in import accounts, tokens_of
from market_cli.units import parse_duration


@acting
async def create(
    session: CliSession,
    name: Annotated[str, typer.Argument(help="Name to tell your keys apart by.")],
    scope: Annotated[list[str] | None, typer.Option(help="read, webhooks or transactions; default: read")] = None,
    expires: Annotated[str | None, typer.Option(help="Lifetime, such as 90d; default: until revoked")] = None,
) -> None:
    """Create an API key. It is shown only once: send it as X-API-Key."""
    async with accounts(session) as api:
        tokens = await tokens_of(session, api)
        lifetime = optional(parse_duration, expires)
        key = await api.create_key(tokens, name, scope or ["read"], lifetime)
    session.out.show(msgspec.structs.asdict(key), theirs(key.secret or ""))
