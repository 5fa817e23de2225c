"""Ranges of ports, and the part of each listing."""

from __future__ import annotations

import pytest

from host_agent.errors import HostConfigurationError
from host_agent.network.port_ranges import first_ports, parse_ports


@pytest.mark.parametrize("text", ["20000", "20007-20000", "0-7", "65530-65536", "a-b", "-8", "1-", "²0-30", ""])
def test_ports__no_range__is_refused(text: str) -> None:
    with pytest.raises(HostConfigurationError, match="not a range of ports"):
        parse_ports(text)


def test_ports__several_ranges__each_listing_has_eight_of_one() -> None:
    ranges = [parse_ports("20000-20017"), parse_ports("65528-65535"), parse_ports("300-306")]
    assert first_ports(ranges, 3) == [20_000, 20_008, 65_528]
    with pytest.raises(HostConfigurationError, match="room for 3 listings, and this machine serves 4"):
        first_ports(ranges, 4)


def test_ports__ranges_overlap__are_refused() -> None:
    with pytest.raises(HostConfigurationError, match="overlap"):
        first_ports([parse_ports("20008-20015"), parse_ports("20000-20008")], 1)
    assert first_ports([parse_ports("20008-20015"), parse_ports("20000-20007")], 2) == [20_008, 20_000]
