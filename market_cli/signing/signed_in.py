"""The tokens of a wallet's sign-in, kept for the next command: one file, mode 0600."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from anchor_client.api.accounts import AccountsApi, SignInTokens
from anchor_client.errors import ApiRefused
from anchor_client.service.private_files import replace_file
from market_cli.errors import SignInNeeded
from market_cli.paths import sign_in_file
from market_cli.plain_text import theirs
from market_cli.session import CliSession


class KeptSignIn(msgspec.Struct):
    """The tokens, and their API."""

    api_url: str
    tokens: SignInTokens


@asynccontextmanager
async def accounts(session: CliSession) -> AsyncIterator[AccountsApi]:
    """The configured API. NoApi."""
    async with AccountsApi(session.api_url) as api:
        yield api


async def tokens_of(session: CliSession, api: AccountsApi) -> SignInTokens:
    """The kept tokens, renewed if they have expired. SignInNeeded."""
    try:
        kept = msgspec.json.decode(sign_in_file().read_bytes(), type=KeptSignIn)
    except (OSError, msgspec.MsgspecError):
        raise SignInNeeded("You are not signed in") from None
    if kept.api_url != session.api_url:
        raise SignInNeeded("You are signed in to another API")
    if kept.tokens.is_current:
        return kept.tokens
    try:
        renewed = await api.refresh(kept.tokens)
    except ApiRefused as error:
        raise SignInNeeded("Your sign-in has ended") from error
    keep(session.api_url, renewed)
    return renewed


def show_signed_in(session: CliSession, tokens: SignInTokens) -> None:
    """Keeps the tokens of a new sign-in and says whose they are."""
    keep(session.api_url, tokens)
    session.out.show({"wallet": tokens.wallet}, f"Signed in as {theirs(tokens.wallet)}.")


def keep(api_url: str, tokens: SignInTokens) -> None:
    """Keeps tokens for the next command."""
    replace_file(sign_in_file(), msgspec.json.encode(KeptSignIn(api_url, tokens)))
