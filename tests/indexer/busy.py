"""A market in which everything happens that an index is told of."""

from __future__ import annotations

from solders.pubkey import Pubkey

from anchor_client.generated.types import CloseReason, RentalIssue
from tests.indexer.administration import administer
from tests.indexer.governance import govern
from tests.indexer.meters import metered, report, whole_life
from tests.indexer.spot import bid, contest
from tests.markets.recorded import Market
from tests.program.harness.actors import HOST, USDC
from tests.program.harness.charges import close_meter, ended
from tests.program.harness.flows import finished, matched, opened, running
from tests.program.harness.spot import GRACE, LEAST, held, preempt, take_over
from tests.program.harness.staking import advance_epoch, fund_rewards, next_epoch, stake
from tests.program.harness.terms import DAY, HOUR
from tests.program.harness.tokens import put_tokens


def go_unpaid(market: Market, renter: Pubkey, listing: Pubkey) -> None:
    """A rental ends while both sides' accounts are frozen; they claim once those are thawed."""
    rental = running(market, renter, listing=listing, mint=USDC)
    market.pass_time(200)
    held = {payee: market.tokens(payee, USDC) for payee in (renter, HOST)}
    for payee, amount in held.items():
        put_tokens(market.cluster, USDC, payee, amount, frozen=True)
    market.act(market.stop_rental(rental))
    for payee, amount in held.items():
        put_tokens(market.cluster, USDC, payee, amount)
    market.act(market.claim_refund(rental))
    market.act(market.claim_payout(listing))


def lose(market: Market, renter: Pubkey, listing: Pubkey) -> None:
    """The host's account is frozen for two windows: a finished rental and a meter end without it."""
    meter = metered(market, renter, listing)
    report(market, meter, 2_000)
    ended(market, meter)
    rental = finished(market, renter, listing=listing, seconds=600, mint=USDC)
    market.wait(2 * DAY)
    market.beat()
    owed = market.tokens(HOST, USDC)
    put_tokens(market.cluster, USDC, HOST, owed, frozen=True)
    market.act(close_meter(market, meter))
    market.act(market.release_holdback(rental))
    put_tokens(market.cluster, USDC, HOST, owed)


def displace_unpaid(market: Market, listing: Pubkey) -> None:
    """A holder is preempted while the host's account is frozen; the order that displaced them waits for the thaw."""
    held(market, market.renter(), listing=listing, mint=USDC)
    waiting = bid(market, market.renter(), listing, LEAST)
    market.pass_time(GRACE)
    owed = market.tokens(HOST, USDC)
    put_tokens(market.cluster, USDC, HOST, owed, frozen=True)
    market.act(preempt(market, listing))
    put_tokens(market.cluster, USDC, HOST, owed)
    market.act(market.claim_payout(listing))
    market.act(take_over(market, listing))
    market.act(market.stop_rental(waiting))


def share_rewards(market: Market) -> None:
    """An epoch ends for which stakers get rewards."""
    owner = market.wallet()
    market.act(stake(owner, 3_000_000))
    next_epoch(market)
    market.act(fund_rewards(5_000, funder=owner))
    next_epoch(market)
    market.act(advance_epoch())


def busy(market: Market) -> None:
    """One rental of each way to end, and everything else that emits an event."""
    renter, machines = market.renter(), [market.list_machine() for _ in range(3)]
    market.act(market.update_reputation(HOST, *market.listings))
    stopped = running(market, renter, listing=machines[0], duration=2 * HOUR)
    expiring = running(market, renter, listing=machines[1], duration=900, mint=USDC)
    market.pass_time(600)
    market.act(market.settle_rental(stopped))
    market.act(market.rate_rental(stopped, 4))
    market.act(market.extend_rental(stopped, 900))
    market.pass_time(400)
    market.act(market.finalize_rental(expiring))
    market.act(market.stop_rental(stopped))
    withdrawn = opened(market, renter, listing=machines[2])
    market.act(market.report_issue(withdrawn, RentalIssue.OTHER))
    market.act(market.stop_rental(withdrawn))
    faulty = running(market, renter, listing=machines[0])
    market.pass_time(200)
    market.act(market.settle_rental(faulty))
    market.act(market.cancel_rental(faulty, CloseReason.HOST_FAULT))
    go_unpaid(market, renter, machines[0])
    released = finished(market, renter, listing=machines[1], seconds=600)
    contested = finished(market, renter, listing=machines[1], seconds=600)
    market.act(market.contest_finish(contested))
    market.wait(DAY)
    market.beat()
    market.act(market.release_holdback(released))
    late = opened(market, renter, listing=machines[1])
    market.pass_time(1_000)
    market.act(market.cancel_unstarted(late))
    silent = running(market, renter, listing=machines[2])
    market.fall_silent(machines[2])
    market.act(market.report_offline(silent))
    displace_unpaid(market, contest(market))
    market.pass_time(60)
    market.act(market.cancel_request(market.ask(renter)))
    early, later = market.ask(renter), market.ask(renter)
    found = matched(market, early, machines[1])
    market.act(market.cancel_request(later))
    market.act(market.stop_rental(found))
    passed = market.ask(renter, mint=USDC, expires_at=market.now + 60)
    market.pass_time(120)
    market.act(market.expire_request(passed))
    whole_life(market, renter, machines[1])
    lose(market, renter, machines[1])
    administer(market, machines[0])
    govern(market)
    share_rewards(market)
