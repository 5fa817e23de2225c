"""Private networks, into which services and tenants must not be led."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from typing import Final, TypeAlias

Network: TypeAlias = IPv4Network | IPv6Network

PRIVATE: Final[Sequence[Network]] = tuple(
    ip_network(each)
    for each in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
        *("192.0.0.0/24", "192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/3"),
        "168.63.129.16",  # Azure's, which tells a machine's secrets
        *("::/128", "::1/128", "fc00::/7", "fe80::/10", "ff00::/8"),
    )
)
EMBEDDING: Final[Sequence[Network]] = tuple(
    map(
        ip_network,
        ("::/96", "::ffff:0:0/96", "::ffff:0:0:0/96", "64:ff9b::/96", "64:ff9b:1::/48", "2001::/32", "2002::/16"),
    )
)
"""IPv6 that stands for IPv4 addresses: compatible, mapped, translated, NAT64, Teredo, 6to4."""
CARRIED: Final[Sequence[Network]] = tuple(
    IPv6Network((int(prefix.network_address) | int(each.network_address) << shift, prefix.prefixlen + each.prefixlen))
    for prefix, shift in ((IPv6Network("64:ff9b::/96"), 0), (IPv6Network("2002::/16"), 80))
    for each in PRIVATE
    if isinstance(each, IPv4Network)
)
"""Private IPv4 networks behind NAT64 and 6to4: a machine without IPv4 reaches the rest of it there."""
SITE_LOCAL: Final = ip_network("fec0::/10")


def is_public(place: str) -> bool:
    """True for a single IP address that is reachable from anywhere. ValueError for what is not an IP address."""
    found = ip_address(place)
    if any(found in network for network in (*PRIVATE, *EMBEDDING, SITE_LOCAL)):
        return False
    return found.is_global and not (found.is_multicast or found.is_reserved or found.is_unspecified)
