"""Shares and limits that docs/security.md tells in its text, and of a machine's ports: those of the code."""

from __future__ import annotations

import pytest

from anchor_client.service.shares import OF_WALLET, PARTS, WHOLE
from host_agent.network.doors import OPEN_SHARES, RESERVED_DESCRIPTORS, SHARES, strangers_of_each
from host_agent.ssh import server
from host_agent.ssh.throttle import LONGEST_WAIT
from host_agent.web import relay, terminal
from indexer.accounts.standing import RENTED_SECONDS
from indexer.api.limits.policies import FACTORS
from indexer.api.sealed_orders import UNCLAIMED_SECONDS
from tests.docs.pages import ROOT

PAGE = (ROOT / "docs" / "security.md").read_text()
ONE_LINE = " ".join(PAGE.split())
WORDS = {1 / 8: "an eighth", 1 / 4: "a quarter", 3 / 8: "three eighths", 1 / 2: "half"}
OPEN = {"SSH of a tenancy": server, "terminal of a tenancy": terminal, "each HTTPS port": relay}


def row_of(name: str) -> list[str]:
    """Cells of a table's row after its first."""
    [row] = [line for line in PAGE.splitlines() if line.startswith(f"| {name} |")]
    return [cell.strip() for cell in row.strip("|").split("|")[1:]]


def test_shares__of_pools__are_as_told() -> None:
    of_4, of_6 = ({bits: WORDS[eighths / WHOLE] for bits, eighths in PARTS[version]} for version in (4, 6))
    told = f"an IPv4 address or IPv6 /64 holds at most {of_4[32]}, a /48 {of_6[48]}, a /24 or /32 {of_4[24]}."
    assert told in ONE_LINE and (of_6[64], of_6[32]) == (of_4[32], of_4[24])
    assert f"A wallet with standing has a separate share, {WORDS[OF_WALLET / WHOLE]}." in ONE_LINE


def test_rates__of_networks__are_as_told() -> None:
    (of_address, of_24), (of_64, of_48, of_32) = FACTORS[4], FACTORS[6]
    told = f"{of_address} times an address' rate for the /32 or /64, {of_48} for a /48, {of_24} for a /24 or /32."
    assert told in ONE_LINE and (of_address, of_24) == (of_64, of_32)


def test_times__that_the_page_tells__are_those_of_the_code() -> None:
    assert RENTED_SECONDS == 30 * 86_400 and "its rental runs or has run in the last 30 days" in ONE_LINE
    assert UNCLAIMED_SECONDS == 3_600 and "keeps sealed orders for an hour" in ONE_LINE
    assert LONGEST_WAIT == 5 * 60 and "wait, five minutes at most" in ONE_LINE
    assert f"Of a gateway's descriptors {RESERVED_DESCRIPTORS} are kept back" in ONE_LINE


@pytest.mark.parametrize("name", ["SSH without login, of a tenancy", "terminals without password, of a tenancy"])
def test_ports__connections_without_login__are_shared_as_told(name: str) -> None:
    (_, address), (_, of_24) = SHARES[4]
    (_, of_64), (_, of_48), (_, of_32) = SHARES[6]
    assert (address, of_24) == (of_64, of_48)
    assert row_of(name)[1:] == [WORDS[share] for share in (address, of_24, of_32)]


@pytest.mark.parametrize("name", OPEN)
def test_ports__open_connections__are_shared_as_told(name: str) -> None:
    (_, address), (_, of_24) = OPEN_SHARES[4]
    (_, of_64), (_, of_48), (_, of_32) = OPEN_SHARES[6]
    assert (address, of_24) == (of_64, of_48)
    most = OPEN[name].MOST_CONNECTIONS
    limit, *shares = row_of(name)
    assert limit.partition(",")[0] == str(most)
    assert [int(share) for share in shares] == [most * share for share in (address, of_24, of_32)]
    assert name != "terminal of a tenancy" or f"{terminal.MOST_TERMINALS} with a shell" in limit


@pytest.mark.parametrize("listings", [1, 2, 4, 8])
def test_ports__strangers_of_several_listings__are_as_told(listings: int) -> None:
    each, share = strangers_of_each(listings), SHARES[4][0][1]
    of_one = int(each * share)
    assert [int(cell) for cell in row_of(str(listings))] == [each, each * listings, of_one, of_one * listings]
