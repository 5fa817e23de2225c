"""A host's reputation: the client's formula, and the call that brings it up to date."""

from __future__ import annotations

import pytest
from solders.keypair import Keypair
from solders.pubkey import Pubkey

from anchor_client import errors
from anchor_client.generated import errors as refusals
from anchor_client.generated.constants import USD
from anchor_client.generated.events import HostCounted, HostScored, IssueReported, RentalClosed
from anchor_client.generated.types import CloseReason, RentalIssue
from anchor_client.market import RentalWanted
from anchor_client.market.host.offers import match, offers_of
from anchor_client.rules.host import Reputation
from tests.markets.marketplace import ANSWER_WINDOW, H100, Marketplace, spec

ORDER_HASH = bytes(range(32))
HOUR = 3_600
DAY = 86_400
A100 = "nvidia-a100-sxm4-80gb"


@pytest.mark.parametrize(
    ("inputs", "score"),
    [
        ((0, 100, 9, 0, 0, 9, 0), 5_000),
        ((1_000, 0, 0, 0, 0, 0, 0), 5_000),
        ((1_000, 100, 100, 0, 0, 0, 0), 6_500),
        ((9_000, 100, 100, 0, 0, 0, 0), 7_700),
        ((9_000, 100, 0, 0, 0, 0, 0), 2_300),
        ((0, 0, 0, 5_000, 1_000, 0, 0), 5_625),
        ((0, 0, 0, 1_000, 1_000, 0, 0), 4_375),
        ((9_000, 0, 0, 50, 10, 0, 0), 5_012),
        ((1_000, 0, 0, 0, 0, 1, 0), 5_375),
        ((1_000, 0, 0, 0, 0, 0, 1), 4_625),
        ((9_000, 100, 100, 45_000, 9_000, 9, 0), 9_500),
        ((9_000, 100, 0, 9_000, 9_000, 0, 9), 500),
        ((1_000, 100, 90, 4_500, 1_000, 4, 1), 6_893),
        ((7, 3, 1, 7, 3, 1, 2), 4_989),
    ],
)
def test_reputation__table__is_the_programs(inputs: tuple[int, ...], score: int) -> None:
    """The inputs: paid, tracked and up seconds, rating sum and weight, completed, failed."""
    assert Reputation(1_000, *inputs).score_bps_floor == score


async def host_with(marketplace: Marketplace, machines: int) -> tuple[Keypair, list[Pubkey]]:
    """An approved host of its own with machines online, of a model that no order by model asks for."""
    wallet = Keypair()
    await marketplace.airdrop(wallet)
    async with marketplace.market(wallet) as host, marketplace.market(marketplace.authority) as admin:
        await host.host.register(bytes([7] * 32))
        await admin.host.approve(wallet.pubkey())
        listings = await host.host.create_listings([spec(A100, usd=4_000_000) for _ in range(machines)])
        await host.host.heartbeat()
    return wallet, listings


async def test_update_reputation__more_listings_than_fit__scores_in_the_last_transaction(
    marketplace: Marketplace,
) -> None:
    wallet, listings = await host_with(marketplace, 30)
    async with marketplace.market(wallet) as market:
        sent = await market.host.update_reputation(wallet.pubkey())
        assert len(sent) == 2
        host = await market.reads.host(wallet.pubkey())
        assert host.scored_at > 0 and host.score_round == 1
        assert [type(event) for event in sent[0].events] == [HostCounted]
        assert [type(event) for event in sent[1].events] == [HostCounted, HostScored]
        assert [(await market.reads.offer(listing)).score for listing in listings[:2]] == [host.score, host.score]
        again = await market.host.update_reputation(wallet.pubkey())
        assert [one.events for one in again] == [(), ()]


async def test_update_reputation__not_a_host__is_refused_before_anything_is_sent(marketplace: Marketplace) -> None:
    renter = await marketplace.renter()
    async with marketplace.market(renter) as market:
        with pytest.raises(errors.UnknownHost):
            await market.host.update_reputation(renter.pubkey())


async def test_update_reputation__host_without_machines__is_scored(marketplace: Marketplace) -> None:
    wallet, _ = await host_with(marketplace, 0)
    async with marketplace.market(wallet) as market:
        (sent,) = await market.host.update_reputation(wallet.pubkey())
        assert [type(event) for event in sent.events] == [HostScored]
        assert (await market.reads.host(wallet.pubkey())).score == Reputation(1_000 * USD).score_bps_floor


async def test_rate__too_soon__is_refused_with_a_remedy(marketplace: Marketplace) -> None:
    wallet, (listing,) = await host_with(marketplace, 1)
    renter = await marketplace.renter()
    async with marketplace.market(renter) as market, marketplace.market(wallet) as host:
        job = await market.rental.open(RentalWanted(listing=listing, duration=HOUR, pay="USDC", order_hash=ORDER_HASH))
        await host.rental.accept(job.id, b"sealed")
        await host.rental.start(job.id)
        with pytest.raises(refusals.RatedTooSoon) as caught:
            await market.rental.rate(job.id, 5)
        assert isinstance(caught.value, errors.GpuMarketError) and "min_rated_seconds" in caught.value.remedy
        await market.rental.stop(job.id)


async def test_match__equal_price__prefers_the_better_reputed_host(marketplace: Marketplace) -> None:
    good, (better,) = await host_with(marketplace, 1)
    bad, (worse,) = await host_with(marketplace, 1)
    _fresh, (unscored,) = await host_with(marketplace, 1)
    renter = await marketplace.renter()
    async with marketplace.market(renter) as market, marketplace.market(good) as host:
        job = await market.rental.open(RentalWanted(listing=better, duration=HOUR, pay="USDC", order_hash=ORDER_HASH))
        await host.rental.accept(job.id, b"sealed")
        await host.rental.start(job.id)
        for _ in range(2):
            await marketplace.cluster.warp(HOUR // 2)
            await host.host.heartbeat()
        await market.rental.finalize(job.id)
        for wallet in (good, bad):
            async with marketplace.market(wallet) as machine:
                await machine.host.heartbeat()
        async with marketplace.market(bad) as other:
            job = await market.rental.open(
                RentalWanted(listing=worse, duration=HOUR, pay="USDC", order_hash=ORDER_HASH)
            )
            await other.rental.accept(job.id, b"sealed")
            await other.rental.start(job.id)
            await marketplace.cluster.warp(HOUR // 2)
            await other.host.heartbeat()
            await other.rental.cancel(job.id)
            await marketplace.cluster.warp(2 * HOUR)
            await market.host.mark_silent(worse)
            await marketplace.cluster.warp(ANSWER_WINDOW)
            await other.host.heartbeat()
        for wallet in (good, bad):
            await market.host.update_reputation(wallet.pubkey())
        reads = market.reads
        scores = {wallet: (await reads.host(wallet.pubkey())).score for wallet in (good, bad)}
        assert scores[good] > 5_000 > scores[bad]
        hosts, now = await reads.hosts(), await reads.now()
        own = {address: await reads.listing(address) for address in (worse, unscored, better)}
        offers = offers_of(own, hosts, now=now, offline_after=10**6)
        assert [offer.address for offer in match(offers, duration=HOUR)] == [better, unscored, worse]
    await marketplace.freshen()


async def test_stop__with_an_issue__reports_it_in_the_same_transaction(marketplace: Marketplace) -> None:
    renter = await marketplace.renter()
    async with marketplace.market(renter) as market:
        job = await market.rental.open(RentalWanted(gpu=H100, duration=HOUR, pay="USDC", order_hash=ORDER_HASH))
        with pytest.raises(errors.UnknownIssue, match="unreachabel") as caught:
            await market.rental.stop(job.id, issue="unreachabel")
        assert "unreachable" in caught.value.remedy
        sent = await market.rental.report_issue(job.id, RentalIssue.SLOW)
        assert [type(event) for event in sent.events] == [IssueReported]
        ended = await market.rental.stop(job.id, issue="not-as-listed")
        assert ended.close_tx is not None
        reported, closed = (await market.session.sender.details(ended.close_tx)).events
        assert isinstance(reported, IssueReported) and reported.issue is RentalIssue.NOT_AS_LISTED
        assert isinstance(closed, RentalClosed) and closed.reason is CloseReason.WITHDRAWN
