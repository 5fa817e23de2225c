"""What a job is called on the command line: its id, the beginning of that, @last, or a name of the renter's own.

Names are kept on this computer, in a file beside the keys of its orders.
"""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from typing import Final

from solders.pubkey import Pubkey

from anchor_client.generated.pdas import find_rental
from anchor_client.market import Market
from anchor_client.private_files import replace_file
from market_cli.errors import BadOption
from market_cli.paths import job_names_file

Latest = Callable[[], Awaitable[Iterable[Pubkey]]]
"""Gives addresses of the renter's orders, the newest first."""

LAST: Final = "@last"
NAME: Final = re.compile(r"[a-z][a-z0-9-]{0,30}")
BEGINNING: Final = re.compile(r"[1-9A-HJ-NP-Za-km-z]{4,43}")
TAKEN: Final = frozenset({"show", "verify"})
"""Commands of `gpu-market job`."""
LATEST: Final = 200
"""Orders of a wallet among which the beginning of an id is looked for."""
KNOWN_BY: Final = "`gpu-market jobs --all` lists your jobs."


async def job_named(text: str, latest: Latest) -> Pubkey:
    """The job that a renter means; `latest` is asked for their orders only where they are needed. BadOption."""
    with suppress(ValueError):
        return Pubkey.from_string(text)
    if text == LAST:
        return await _last(latest)
    named = read_names()
    if text in named:
        return named[text]
    if BEGINNING.fullmatch(text) is None:
        raise BadOption(f"No job is called {text}", KNOWN_BY)
    found = {job for job in (*named.values(), *await latest()) if str(job).startswith(text)}
    if len(found) > 1:
        raise BadOption(f"The ids of {len(found)} jobs begin with {text}", "Write more of it.")
    if not found:
        raise BadOption(f"No job of yours begins with {text}", KNOWN_BY)
    return found.pop()


def check_name(name: str) -> None:
    """BadOption if a job cannot be called so."""
    if NAME.fullmatch(name) is None or name in TAKEN:
        raise BadOption(
            f"A job cannot be called {name}", "Use up to 31 of a-z, 0-9 and -, with a letter first; not show or verify."
        )


def keep_name(name: str, job: Pubkey) -> None:
    """The name is that of this job from now on, whichever had it before."""
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
    """Names that begin so, for the shell."""
    try:
        names = [LAST, *reversed([*read_names()])]
    except BadOption:
        names = [LAST]
    return [name for name in names if name.startswith(incomplete)]


async def _last(latest: Latest) -> Pubkey:
    for job in await latest():
        return job
    raise BadOption("This wallet has ordered nothing yet", "Order: `gpu-market rent`.")


async def latest_jobs(market: Market, owner: Pubkey) -> Iterable[Pubkey]:
    """Addresses of a wallet's orders, the newest first; the oldest of them may never have been used."""
    profile = await market.reads.renter_profile(owner)
    if profile is None:
        return ()
    return _addresses(owner, profile.next_nonce, market.program_id)


def _addresses(owner: Pubkey, next_nonce: int, program: Pubkey) -> Iterator[Pubkey]:
    for nonce in range(next_nonce - 1, max(-1, next_nonce - 1 - LATEST), -1):
        yield find_rental(owner, nonce, program)[0]
