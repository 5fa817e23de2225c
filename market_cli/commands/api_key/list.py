"""`gpu-market api-key list`."""

from __future__ import annotations

import msgspec

from market_cli.acting import acting
from market_cli.output import table
from market_cli.plain_text import theirs
from market_cli.session import CliSession
from market_cli.signing.signed_in import accounts, tokens_of
from market_cli.units import moment


@acting
async def list_(session: CliSession) -> None:
    """List your API keys, without their secrets."""
    async with accounts(session) as api:
        keys = await api.list_keys(await tokens_of(session, api))
    shown = table("id", "name", "scopes", "expires", "last used")
    for key in keys:
        texts = map(theirs, (key.id, key.name, " ".join(key.scopes)))
        shown.add_row(*texts, _told(key.expires_at), _told(key.last_used_at))
    document = [{k: v for k, v in msgspec.structs.asdict(key).items() if k != "secret"} for key in keys]
    session.out.show({"keys": document}, shown)


def _told(seconds: int | None) -> str:
    return "never" if seconds is None else moment(seconds)
