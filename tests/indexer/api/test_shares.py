"""Shares of pools by address. Invariant IDX-11."""

from __future__ import annotations

import pytest

from anchor_client.service.shares import Shares, networks_of

SIZE = 64


@pytest.mark.parametrize(
    ("address", "networks"),
    [
        ("203.0.113.9", ("203.0.113.9/32", "203.0.113.0/24")),
        ("2001:db8:1:2::3", ("2001:db8:1:2::/64", "2001:db8:1::/48", "2001:db8::/32")),
        ("2001:db8:1:2::/64", ("2001:db8:1:2::/64", "2001:db8:1::/48", "2001:db8::/32")),
        ("::ffff:203.0.113.9", ("203.0.113.9/32", "203.0.113.0/24")),
        ("127.0.0.1", ()),
        ("::1", ()),
        ("", ()),
    ],
)
def test_networks__of_an_address__are_nested(address: str, networks: tuple[str, ...]) -> None:
    assert networks_of(address) == networks


@pytest.mark.parametrize(
    ("addresses", "most"),
    [
        ([""], SIZE),
        (["203.0.113.9"], SIZE // 4),
        ([f"203.0.113.{host}" for host in range(1, 99)], SIZE // 2),
        ([f"2001:db8:1:2::{host:x}" for host in range(1, 99)], SIZE // 4),
        ([f"2001:db8:1:{net:x}::1" for net in range(1, 99)], SIZE * 3 // 8),
        ([f"2001:db8:{net:x}::1" for net in range(1, 99)], SIZE // 2),
    ],
)
def test_shares__of_a_network__are_a_part_of_the_pool(addresses: list[str], most: int) -> None:
    shares = Shares(SIZE)
    taken = []
    for address in addresses * SIZE:
        if shares.has_room(address):
            shares.take(address)
            taken.append(address)
    assert len(taken) == most and shares.has_room("198.51.100.1") == (most < SIZE)
    for address in taken:
        shares.give_back(address)
    assert shares.has_room(addresses[0]) and not shares._held
