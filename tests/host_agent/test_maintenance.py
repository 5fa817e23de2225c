"""Maintenance with a date: longest rentals before it, and the owner's own settings after it."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from solders.pubkey import Pubkey
from structlog.testing import capture_logs

from anchor_client.generated.accounts import Listing
from anchor_client.generated.types import ListingSpec
from anchor_client.rules.listing import NOBODY
from host_agent.errors import HostConfigurationError
from host_agent.listings.maintenance import LOOK_MARGIN, Maintenance
from host_agent.listings.offering import Offering
from host_agent.notices import RenterNotices, greeting
from tests.host_agent.test_service import listing

DAY = 86_400
TERMS = cast(Any, SimpleNamespace(offline_after=1_800, spot_grace=300, provision_timeout=600, min_duration=3_600))
LATE = TERMS.offline_after + LOOK_MARGIN + TERMS.spot_grace + TERMS.provision_timeout
AT = 100 * DAY
PLAN = Maintenance([Pubkey.new_unique()], AT, AT + 7_200)
OWN = 30 * DAY


def test_longest__as_the_date_comes__no_order_ends_past_it_with_few_changes() -> None:
    stated, changes = OWN, 0
    for now in range(AT - 40 * DAY, AT, 1_200):
        longest = PLAN.longest(OWN, stated, TERMS, now)
        if longest is None:
            assert AT - now < LATE + TERMS.min_duration * 8 // 7 + 1_200
            break
        changes += longest != stated
        stated = longest
        # The latest order that this lets in: placed before the next look, or after the agent has gone silent.
        assert now + LATE + stated <= AT or stated == OWN
        assert now + LATE + stated <= AT
    assert 0 < changes < 50 and longest is None


def test_longest__terms_of_a_new_market__takes_orders_until_seven_to_eight_hours_before() -> None:
    terms = cast(Any, SimpleNamespace(offline_after=1_800, spot_grace=90, provision_timeout=900, min_duration=21_600))
    stated = OWN
    for now in range(AT - 40 * DAY, AT, 20):
        longest = PLAN.longest(OWN, stated, terms, now)
        if longest is None:
            break
        stated = longest
    assert longest is None and 7 < (AT - now) / 3_600 < 8


@pytest.mark.parametrize("now", [AT - 60, AT, AT + 7_199])
def test_longest__shortly_before_and_during_it__takes_no_rental(now: int) -> None:
    assert PLAN.longest(OWN, OWN, TERMS, now) is None


def test_longest__afterwards_and_long_before__is_the_owners() -> None:
    assert PLAN.longest(OWN, 1, TERMS, PLAN.until) == OWN
    assert PLAN.longest(OWN, DAY, TERMS, AT - 60 * DAY) == OWN


def test_longest__plan_moved_to_later__rises_again() -> None:
    assert PLAN.longest(OWN, 4_000, TERMS, AT - 10 * DAY) == (10 * DAY - LATE) - (10 * DAY - LATE) // 8


@pytest.mark.parametrize("text", ["", "{", "[]", '{"listings": ["x"], "at": 1, "until": 2}', '{"listings": []}'])
def test_read__no_plan_in_the_file__says_what_to_do(tmp_path: Path, text: str) -> None:
    (tmp_path / "maintenance.json").write_text(text)
    with pytest.raises(HostConfigurationError) as caught:
        Maintenance.read(tmp_path)
    assert "host maintenance" in caught.value.remedy


def offered(longest: int, visible: int) -> Listing:
    """A free listing."""
    return listing(mrl_seconds=longest, visible=visible, current=NOBODY, challenger=NOBODY)


class Chain:
    """A market whose listings say what they were told."""

    def __init__(self) -> None:
        self.listings: dict[Pubkey, Listing] = {PLAN.listings[0]: offered(OWN, 1)}
        self.reads = self.host = self
        self.fails = False

    async def market(self) -> Any:
        return TERMS

    async def update_listing(self, address: Pubkey, spec: ListingSpec) -> None:
        if self.fails:
            raise HostConfigurationError("The node is away")
        self.listings[address] = offered(spec.mrl_seconds, int(spec.visible))

    @property
    def said(self) -> tuple[int, int]:
        (only,) = self.listings.values()
        return only.mrl_seconds, only.visible


async def test_offering__through_a_maintenance__goes_back_to_what_the_owner_has_set(tmp_path: Path) -> None:
    chain = Chain()
    PLAN.write(tmp_path)
    with capture_logs() as logs:
        for now, visible in ((AT - 10 * DAY, 1), (AT - DAY, 1), (AT - 60, 0), (AT, 0), (AT + 60, 0), (PLAN.until, 1)):
            # A new agent each time, as after a restart.
            await Offering(cast(Any, chain), tmp_path).look(chain.listings, (), now)
            assert chain.said[1] == visible
    assert chain.said == (OWN, 1)
    assert Maintenance.read(tmp_path) is None
    events = [each["event"] for each in logs if each["event"] != "listing_changed"]
    assert [*dict.fromkeys(events)] == ["maintenance_planned", "maintenance_begun", "maintenance_over"]


async def test_offering__planned__renters_are_told_until_it_is_over_or_cancelled(tmp_path: Path) -> None:
    chain, now = Chain(), int(time.time())
    address, plan = PLAN.listings[0], Maintenance(PLAN.listings, now + DAY, now + DAY + 7_200)
    file = RenterNotices(tmp_path).file(address)
    offering = Offering(cast(Any, chain), tmp_path)
    for end in (plan.remove, lambda _: None):
        plan.write(tmp_path)
        await offering.look(chain.listings, (), now)
        begin = datetime.fromtimestamp(plan.at, UTC).strftime("%Y-%m-%d %H:%M UTC")
        assert f"from {begin} on, for 2 h" in greeting(file).decode()
        end(tmp_path)
        await offering.look(chain.listings, (), plan.until)
        assert not file.exists() and greeting(file) == b""


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b'{"text": 1, "until": 2}', b'{"text": "over", "until": 2}'])
def test_greeting__nothing_that_holds_now__is_empty(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "notice").write_bytes(content)
    assert greeting(tmp_path / "notice") == b""
    assert greeting(tmp_path / "none") == b""


async def test_offering__node_fails_between__the_owners_settings_are_not_forgotten(tmp_path: Path) -> None:
    chain = Chain()
    PLAN.write(tmp_path)
    for now in (AT - 10 * DAY, AT - 5 * DAY, AT - DAY, AT - 60, PLAN.until):
        for chain.fails in (True, False):
            await Offering(cast(Any, chain), tmp_path).look(chain.listings, (), now)
    assert chain.said == (OWN, 1)


async def test_offering__owner_changes_the_listing_meanwhile__that_stays(tmp_path: Path) -> None:
    chain, address = Chain(), PLAN.listings[0]
    offering = Offering(cast(Any, chain), tmp_path)
    PLAN.write(tmp_path)
    await offering.look(chain.listings, (), AT - 10 * DAY)
    chain.listings[address] = offered(DAY, 0)
    await offering.look(chain.listings, (), AT - 9 * DAY)
    assert chain.said == (DAY, 0)
    await offering.look(chain.listings, (), PLAN.until)
    assert chain.said == (DAY, 0)


async def test_offering__plan_cancelled__is_offered_as_before(tmp_path: Path) -> None:
    chain = Chain()
    PLAN.write(tmp_path)
    await Offering(cast(Any, chain), tmp_path).look(chain.listings, (), AT - DAY)
    assert chain.said < (OWN, 1)
    PLAN.remove(tmp_path)
    await Offering(cast(Any, chain), tmp_path).look(chain.listings, (), AT - DAY)
    assert chain.said == (OWN, 1)


async def test_offering__plan_cannot_be_read__says_so_once_and_takes_no_orders_until_it_can(tmp_path: Path) -> None:
    chain, address = Chain(), PLAN.listings[0]
    other = Pubkey.new_unique()
    chain.listings[other] = offered(DAY, 1)
    offering = Offering(cast(Any, chain), tmp_path)
    with capture_logs() as logs:
        for taken in ((), {address}, ()):
            (tmp_path / "maintenance.json").write_text("{")
            await offering.look(chain.listings, taken, AT - 50 * DAY)
            assert {(each.mrl_seconds, each.visible) for each in chain.listings.values()} == {(1, 0)}
    assert [each["log_level"] for each in logs if each["event"] == "maintenance_unreadable"] == ["error"]
    Maintenance.remove(tmp_path)
    await offering.look(chain.listings, (), AT - 50 * DAY)
    assert [(each.mrl_seconds, each.visible) for each in chain.listings.values()] == [(OWN, 1), (DAY, 1)]


async def test_offering__gpus_taken_and_given_back__is_hidden_meanwhile_unless_the_owner_hid_it(tmp_path: Path) -> None:
    chain, address = Chain(), PLAN.listings[0]
    offering = Offering(cast(Any, chain), tmp_path)
    await offering.look(chain.listings, {address}, AT)
    assert chain.said == (OWN, 0)
    await offering.look(chain.listings, (), AT)
    assert chain.said == (OWN, 1)
    chain.listings[address] = offered(OWN, 0)
    for taken in ({address}, ()):
        await offering.look(chain.listings, taken, AT)
        assert chain.said == (OWN, 0)
