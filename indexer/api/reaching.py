"""Tries a machine's ports from where the API is.

Whoever asks learns of a port only whether it is the machine's own: it must answer with a text or a certificate that the
asker knows beforehand.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Final

from anchor_client.machine.port_answers import SSH_GREETING, PortAnswer, port_answer
from anchor_client.machine.reach import Reach
from anchor_client.service.name_lookup import NameLookup
from anchor_client.service.shares import Shares
from indexer.api.webhooks.addresses import Resolve, check_places

SECONDS: Final = 4.0
"""For each port, all at the same time."""

MOST_TRIES: Final = 16
"""At the same time, each of up to 17 ports."""

Test = Callable[[PortAnswer], bool]


class NoTryLeft(Exception):
    """Too many are tried, of a network or of all."""


class PortTries:
    """Tries ports, and no more at a time than their shares allow."""

    def __init__(self) -> None:
        self._shares = Shares(MOST_TRIES)

    async def reached(self, reach: Reach, holder: str, *, private: bool) -> list[int]:
        """As `reached`; `holder` is whose share it takes, until the lookup of its name has ended too. NoTryLeft,
        AddressRefused, OSError.
        """
        if not self._shares.has_room(holder):
            raise NoTryLeft
        self._shares.take(holder)
        lookup = NameLookup()
        try:
            return await reached(reach, lookup, private=private)
        finally:
            lookup.when_ended(lambda: self._shares.give_back(holder))


async def reached(reach: Reach, resolve: Resolve, *, private: bool) -> list[int]:
    """The ports that are the machine's own, of the first public address of its name; with `private` of any address.
    AddressRefused, OSError.
    """
    # Resolved once, and connected to what was checked: a name that changes in between (DNS rebinding) gains nothing.
    places = await resolve(reach.host, reach.ssh)
    if not private:
        check_places(places)
    asked = list(_asked(reach))
    found = await asyncio.gather(*(_is_own(places, *each) for each in asked))
    return [port for (port, _, _), is_own in zip(asked, found, strict=True) if is_own]


def _asked(reach: Reach) -> Sequence[tuple[int, bool, Test]]:
    token = reach.token.encode()
    return [
        (reach.ssh, False, lambda answer: answer.text.startswith(SSH_GREETING)),
        *((port, False, lambda answer: token in answer.text) for port in reach.plain),
        *((port, True, lambda answer: answer.certificate == reach.certificate) for port in reach.tls),
    ]


async def _is_own(places: Sequence[str], port: int, tls: bool, test: Test) -> bool:
    for place in places:
        try:
            async with asyncio.timeout(SECONDS):
                answer = await port_answer(place, port, tls=tls)
        except TimeoutError:
            continue
        return answer is not None and test(answer)
    return False
