"""Addresses that notices may be sent to: public ones, never this machine's own network."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from ipaddress import ip_address

from anchor_client.service.networks import is_public
from anchor_client.solana.http.address import Address
from anchor_client.solana.http.answer import NoHttpUrl

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
