"""Private networks, into which services and tenants must not be led."""

from __future__ import annotations

from collections.abc import Sequence
from ipaddress import IPv4Network, IPv6Network, ip_network
from typing import Final, TypeAlias

Network: TypeAlias = IPv4Network | IPv6Network

PRIVATE: Final[Sequence[Network]] = tuple(
    ip_network(each)
    for each in (
        *("0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"),
        *("192.0.0.0/24", "192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/3"),
        *("::/128", "::1/128", "fc00::/7", "fe80::/10", "ff00::/8"),
    )
)
