"""Agents of one machine and their rules for tenants' traffic."""

from __future__ import annotations

from pathlib import Path

import pytest

from host_agent.errors import HostConfigurationError
from host_agent.network import one_firewall
from host_agent.network.egress import Egress, parse_network
from host_agent.network.one_firewall import sharing_the_firewall

LAN, OTHER = parse_network("10.1.2.0/24"), parse_network("10.1.3.0/24")


@pytest.fixture(autouse=True)
def own_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Agents of other tests are on other machines."""
    monkeypatch.setattr(one_firewall, "NAME", f"gpu-market-test-{tmp_path.name}-{id(tmp_path)}-")


def test_agents__same_rules_in_any_order__share_the_firewall() -> None:
    with sharing_the_firewall(Egress((LAN, OTHER))), sharing_the_firewall(Egress((OTHER, LAN))):
        pass


def test_agents__other_rules__the_second_does_not_start_before_the_first_has_ended() -> None:
    with (
        sharing_the_firewall(Egress((LAN,))),
        pytest.raises(HostConfigurationError, match="other rules"),
        sharing_the_firewall(Egress()),
    ):
        pytest.fail("it would undo the first one's rules")
    with sharing_the_firewall(Egress()), sharing_the_firewall(Egress(is_open=True)):
        pass
