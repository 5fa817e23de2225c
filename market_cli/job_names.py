"""Names of jobs on the command line: an id, a prefix of one, @last, or a local name.

Names are kept on this computer, in a file next to its order keys.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from typing import Final

from solders.pubkey import Pubkey

from anchor_client.errors import UnknownRequest
from anchor_client.generated.accounts import Rental
from anchor_client.generated.pdas import find_rental, find_request
from anchor_client.kinds import RequestState
from anchor_client.market import Market
from anchor_client.service.private_files import replace_file
from market_cli.errors import BadOption
from market_cli.ids import BEGINNING, Known, only
from market_cli.paths import job_names_file

Last = Callable[[], Awaitable[Pubkey | None]]
Find = Callable[[Pubkey, int, Pubkey], tuple[Pubkey, int]]
LAST: Final = "@last"
NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,30}")
TAKEN: Final = frozenset({"show", "verify"})
"""Commands of `gpu-market job`."""
LATEST: Final = 200
"""Number of a wallet's orders that a prefix is compared with."""
LISTED_BY: Final = "`gpu-market jobs --all`"
KNOWN_BY: Final = f"{LISTED_BY} lists your jobs."


async def job_named(text: str, latest: Known, last: Last) -> Pubkey:
    """Resolves a renter's job; `latest` returns their orders and `last` the newest job, if needed. BadOption."""
    with suppress(ValueError):
        return Pubkey.from_string(text)
    if text == LAST:
        return await _newest(last)
    named = read_names()
    if text in named:
        return named[text]
    if BEGINNING.fullmatch(text) is None:
        raise BadOption(f"No job is named {text}", KNOWN_BY)
    return only(text, (*named.values(), *await latest()), "job", LISTED_BY)


def check_name(name: str) -> None:
    """Raises BadOption for an invalid name."""
    if NAME.fullmatch(name) is None or name in TAKEN:
        raise BadOption(
            f"{name!r} is not a valid name for a job",
            "Use up to 31 of a-z, 0-9 and -, starting with a letter; not show or verify.",
        )


def keep_name(name: str, job: Pubkey) -> None:
    """Gives the name to this job, and takes it from the one that had it."""
    names = {**read_names(), name: job}
    text = json.dumps({name: str(job) for name, job in names.items()}, indent=1)
    replace_file(job_names_file(), text.encode())


def read_names() -> Mapping[str, Pubkey]:
    """Jobs by name, the newest name last. BadOption if the file is damaged."""
    file = job_names_file()
    try:
        return {name: Pubkey.from_string(job) for name, job in json.loads(file.read_text()).items()}
    except FileNotFoundError:
        return {}
    except (ValueError, AttributeError, TypeError) as error:
        raise BadOption(f"The names of jobs in {file} cannot be read", "Correct the file, or remove it.") from error


def complete_job(incomplete: str) -> list[str]:
    """Names with a prefix, for the shell."""
    try:
        names = [LAST, *reversed([*read_names()])]
    except BadOption:
        names = [LAST]
    return [name for name in names if name.startswith(incomplete)]


async def _newest(last: Last) -> Pubkey:
    job = await last()
    if job is None:
        raise BadOption("This wallet has no orders yet", "Rent a machine: `gpu-market rent`.")
    return job


async def last_job(market: Market, owner: Pubkey) -> Pubkey | None:
    """A wallet's newest job. Requests share its order numbers: unmatched ones are skipped, unless the node has
    forgotten them.
    """
    requests = await latest_requests(market, owner)
    for job, request in zip(await latest_jobs(market, owner), requests, strict=True):
        if await market.reads.program.read(Rental, job) is not None or await _has_job(market, request):
            return job
    return None


async def _has_job(market: Market, request: Pubkey) -> bool:
    try:
        return (await market.request.get(request)).status is RequestState.MATCHED
    except UnknownRequest:
        return True


async def latest_jobs(market: Market, owner: Pubkey) -> Iterable[Pubkey]:
    """Addresses of a wallet's orders, newest first; the oldest may be unused."""
    return await _latest(market, owner, find_rental)


async def latest_requests(market: Market, owner: Pubkey) -> Iterable[Pubkey]:
    """Possible addresses of a wallet's requests, newest first; many are unused."""
    return await _latest(market, owner, find_request)


async def _latest(market: Market, owner: Pubkey, find: Find) -> Iterable[Pubkey]:
    profile = await market.reads.renter_profile(owner)
    if profile is None:
        return ()
    nonces = range(profile.next_nonce - 1, max(-1, profile.next_nonce - 1 - LATEST), -1)
    return (find(owner, nonce, market.program_id)[0] for nonce in nonces)
