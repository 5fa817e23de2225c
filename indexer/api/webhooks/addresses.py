"""Addresses that notices may be sent to: public ones, never this machine's own network."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_address

from anchor_client.service.networks import is_public
from anchor_client.solana.http.address import Address
from anchor_client.solana.http.answer import NoHttpUrl

RESOLVERS = 8
"""Separate threads: a name whose server does not answer must not hold up the API's."""

Resolve = Callable[[str, int], Awaitable[Sequence[str]]]
"""A name and a port to IP addresses. OSError."""


class AddressRefused(Exception):
    """Notices are not sent there."""


def checked_url(url: str, *, private: bool) -> Address:
    """The parts of a URL that notices may be sent to, if its name stands for such addresses. AddressRefused."""
    try:
        address = Address.of(url)
    except NoHttpUrl as error:
        raise AddressRefused(str(error)) from error
    if not address.is_tls and not private:
        raise AddressRefused("it is not an https URL")
    if address.authorization is not None:
        raise AddressRefused("it has a name or a password; the signature identifies the sender")
    try:
        ip_address(address.host)
    except ValueError:
        return address
    if not private:
        check_places([address.host])
    return address


def check_places(places: Sequence[str]) -> None:
    """AddressRefused if any of the IP addresses is not public, or there is none."""
    for place in places:
        if not is_public(place):
            raise AddressRefused(f"{place} is not a public address")
    if not places:
        raise AddressRefused("its name has no address")


class Resolver:
    """Asks the system for addresses of names."""

    def __init__(self) -> None:
        self._threads = ThreadPoolExecutor(RESOLVERS, thread_name_prefix="webhook-resolve")

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        """The addresses, in the order in which to try them. OSError."""
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(
            self._threads, lambda: socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
        )
        return list(dict.fromkeys(str(each[4][0]) for each in found))

    def close(self) -> None:
        """Waits for nobody."""
        self._threads.shutdown(wait=False, cancel_futures=True)
