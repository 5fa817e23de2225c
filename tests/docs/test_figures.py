"""Figures and lists of the pages for renters and hosts are those of the code."""

from __future__ import annotations

import re
from typing import Final

import pytest

from anchor_client.market.rental.allowance import BEFORE
from anchor_client.market.rental.note import MAX_BYTES
from anchor_client.orders.image import DEFAULT_IMAGE
from anchor_client.rules.verified import VERIFIED_SECONDS
from host_agent.detect.container_toolkit import SAFE, dotted
from host_agent.detect.health import HOT_CELSIUS
from host_agent.detect.kernel_log import SEVERE
from host_agent.docker.fetch_guard import MOST_GROWTH
from host_agent.images.rules import MOST_SETTINGS_CHARACTERS, MOST_VARIABLES, MOST_VOLUMES, PUBLIC
from host_agent.network.doors import RESERVED_DESCRIPTORS, WANTED_DESCRIPTORS
from host_agent.settings.machine import PORTS_PER_MACHINE
from market_cli.commands.rental.respawning import ATTEMPTS
from market_cli.machine.check import SLACK_PERCENT, SPEED_PERCENT
from tests.docs.pages import ROOT, prose

RENT: Final = " ".join(prose((ROOT / "docs/rent.md").read_text()).split())
HOST: Final = " ".join(prose((ROOT / "docs/host.md").read_text()).split())


def listed(page: str, before: str) -> set[str]:
    """Words of a list in brackets that follows some text."""
    return set(re.split(r", | and ", page.partition(f"{before} (")[2].partition(")")[0]))


def test_host_page__lists__are_whole() -> None:
    assert listed(HOST, "Only a rate limit at a large public registry") == PUBLIC
    assert listed(HOST, "severe Xid errors of the last day since the machine started") == {str(xid) for xid in SEVERE}


@pytest.mark.parametrize(
    "said",
    [
        f"over {MOST_VARIABLES:,} environment variables, {MOST_VOLUMES} volumes or a MiB of settings",
        f"A container toolkit below {dotted(SAFE)} is a fault",
        f"{HOT_CELSIUS} °C or more",
        f"{RESERVED_DESCRIPTORS} descriptors of its gateway are kept back",
        f"limit of descriptors to {WANTED_DESCRIPTORS:,}",
        f"once the engine's memory has grown by {MOST_GROWTH >> 20} MiB",
        f"at most {MAX_BYTES} bytes, without addresses",
    ],
)
def test_host_page__figures__are_the_codes(said: str) -> None:
    assert said in HOST


def test_pages__figures_in_words__are_the_codes() -> None:
    assert MOST_SETTINGS_CHARACTERS == 2**20
    assert PORTS_PER_MACHINE == 8 and "Each listing has eight ports" in HOST
    assert ATTEMPTS == 10 and "at most ten rentals in all" in RENT
    assert BEFORE == 600 and "`--before` (10 minutes)" in RENT
    assert VERIFIED_SECONDS == 3_600 and "used them for at least an hour in total" in RENT
    assert (SLACK_PERCENT, SPEED_PERCENT) == (90, 50) and "Sizes in GB must reach nine tenths" in RENT
    assert f"Without `--image` a job runs `{DEFAULT_IMAGE}`" in RENT
