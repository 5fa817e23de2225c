"""Ids on the command line: whole, or as much of their beginning as says which one is meant."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from typing import Final

from solders.pubkey import Pubkey

from anchor_client.solana.wallet import parse_address
from market_cli.errors import BadOption

Known = Callable[[], Awaitable[Iterable[Pubkey]]]
"""Gives the ids among which one is meant."""

BEGINNING: Final = re.compile(r"[1-9A-HJ-NP-Za-km-z]{4,43}")


def is_id(text: str) -> bool:
    """True where a text may be an id or the beginning of one."""
    return BEGINNING.fullmatch(text) is not None or _whole(text) is not None


async def meant(text: str, what: str, known: Known, listed_by: str) -> Pubkey:
    """The id of a `what` that is meant; `known` is asked only where it is not whole. BadOption, BadAddress."""
    whole = _whole(text)
    if whole is not None:
        return whole
    if BEGINNING.fullmatch(text) is None:
        return parse_address(text)
    return only(text, await known(), what, listed_by)


def only(text: str, ids: Iterable[Pubkey], what: str, listed_by: str) -> Pubkey:
    """The one that begins so. BadOption."""
    found = {each for each in ids if str(each).startswith(text)}
    if len(found) > 1:
        raise BadOption(f"The ids of {len(found)} {what}s begin with {text}", "Write more of it.")
    if not found:
        raise BadOption(f"No {what} is known that begins with {text}", f"{listed_by} lists what there is.")
    return found.pop()


def _whole(text: str) -> Pubkey | None:
    with suppress(ValueError):
        return Pubkey.from_string(text.strip())
    return None
