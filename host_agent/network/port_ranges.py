"""Ranges of ports that a machine's router forwards, divided among its listings."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from host_agent.errors import HostConfigurationError
from host_agent.settings.machine import LAST_PORT, PORTS_PER_MACHINE

SEPARATOR: Final = "-"


def parse_ports(text: str) -> range:
    """Ports from `20000-20063`, the last included. HostConfigurationError."""
    first, separator, last = text.partition(SEPARATOR)
    if not (separator and all(each.isascii() and each.isdigit() for each in (first, last))):
        raise _bad(text)
    ports = range(int(first), int(last) + 1)
    if not ports or ports[0] < 1 or ports[-1] > LAST_PORT:
        raise _bad(text)
    return ports


def first_ports(ranges: Sequence[range], listings: int) -> Sequence[int]:
    """The first of each listing's PORTS_PER_MACHINE ports, in order. HostConfigurationError if there are too few, or
    ranges overlap.
    """
    places = sorted(ranges, key=lambda each: each.start)
    for one, other in pairwise(places):
        if other.start < one.stop:
            raise HostConfigurationError("Two of the --ports overlap", "Give each port once.")
    found = [first for each in ranges for first in _parts(each)]
    if len(found) < listings:
        raise HostConfigurationError(
            f"The --ports have room for {len(found)} listings, and this machine serves {listings}",
            f"Each listing takes {PORTS_PER_MACHINE} consecutive ports of a range.",
        )
    return found[:listings]


def _parts(ports: range) -> Iterator[int]:
    yield from range(ports.start, ports.stop - PORTS_PER_MACHINE + 1, PORTS_PER_MACHINE)


def _bad(text: str) -> HostConfigurationError:
    return HostConfigurationError(f"{text!r} is not a range of ports", "Write the first and the last: 20000-20063.")
