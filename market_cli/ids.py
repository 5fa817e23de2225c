"""Ids on the command line: complete, or an unambiguous prefix."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Final

from solders.pubkey import Pubkey

from anchor_client.solana.wallet import parse_address
from market_cli.errors import BadOption

Known = Callable[[], Awaitable[Iterable[Pubkey]]]
"""Returns the candidate ids."""

BEGINNING: Final = re.compile(r"[1-9A-HJ-NP-Za-km-z]{4,43}")


def is_id(text: str) -> bool:
    """True if a text may be an id or a prefix of one."""
    return BEGINNING.fullmatch(text) is not None or _whole(text) is not None


async def meant(text: str, what: str, known: Known, listed_by: str) -> Pubkey:
    """Resolves the id of a `what`; reads `known` only for a prefix. BadOption, BadAddress."""
    whole = _whole(text)
    if whole is not None:
        return whole
    if BEGINNING.fullmatch(text) is None:
        return parse_address(text)
    return only(text, await known(), what, listed_by)


def only(text: str, ids: Iterable[Pubkey], what: str, listed_by: str) -> Pubkey:
    """The only id with that prefix. BadOption."""
    found = {each for each in ids if str(each).startswith(text)}
    if len(found) > 1:
        raise BadOption(f"Ambiguous id {text}: {len(found)} {what}s match", "Write a longer prefix.")
    if not found:
        raise BadOption(f"No {what} begins with {text}", f"{listed_by} lists them.")
    return found.pop()


def _whole(text: str) -> Pubkey | None:
    with suppress(ValueError):
        return Pubkey.from_string(text.strip())
    return None
