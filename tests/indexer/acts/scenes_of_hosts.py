"""Scenes of hosts, stakers and voters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from solders.pubkey import Pubkey

from anchor_client.generated import instructions as ix
from anchor_client.generated.accounts import Proposal
from anchor_client.generated.types import Action, MarketParameter
from tests.indexer.acts.scenes import Asked, Scene, moving
from tests.indexer.acts.scenes_of_rentals import unpaid
from tests.indexer.governance import PAY
from tests.markets.recorded import Market
from tests.program.harness import governance, staking
from tests.program.harness.actors import GUARDIAN, HOST, LISTING, RENTER, STRANGER, USDC
from tests.program.harness.changes import set_parameter
from tests.program.harness.staking import EPOCH, next_epoch

KEY: Final = {"seal_key": "cd" * 32}
NO_STAKE: Final = (409, "no_stake")
UNKNOWN_HOST: Final = (404, "unknown_host")
SPEC: Final = {
    "gpu": "nvidia-h100-pcie-80gb",
    "gpu_count": 2,
    "vram_gb": 80,
    "region": "eu-west",
    "cpu_cores": 32,
    "ram_gb": 256,
    "disk_kind": "nvme",
    "disk_gb": 2_000,
    "disk_mbps": 6_000,
    "net_up_mbps": 1_000,
    "net_down_mbps": 2_500,
    "cuda": 1_204,
    "on_demand_usd": 7_000_000,
    "mrl_seconds": 8_640_000,
}


def host(path: str, **body: Any) -> Callable[[Market], Asked]:
    return lambda market: Asked(path, HOST, body)


def listing(act: str, **body: Any) -> Callable[[Market], Asked]:
    return host(f"/api/marketplace/listings/{LISTING}/{act}", **body)


def refreshed(market: Market) -> Asked:
    market.act(staking.set_gpu_model(1, 120))
    return Asked(f"/api/marketplace/listings/{LISTING}/refresh", STRANGER)


def locked(path: str, **body: Any) -> Callable[[Market], Asked]:
    """Tokens that the host has locked."""

    def prepare(market: Market) -> Asked:
        market.act(set_parameter(MarketParameter.MFP_UNLOCK_DELAY, EPOCH))
        market.act(staking.lock_mfp(amount=9_000))
        if path == "withdraw":
            market.act(staking.unlock_mfp(amount=4_000))
            market.wait(EPOCH)
        return Asked(f"/api/mfp/{path}", HOST, body)

    return prepare


def staker(act: str, *, rewarded: bool = False, cooled: bool = False, **body: Any) -> Callable[[Market], Asked]:
    """Somebody whose stake is active."""

    def prepare(market: Market) -> Asked:
        wallet = market.wallet()
        staking.staked(market, 3_000_000, wallet)
        if rewarded:
            market.act(staking.fund_rewards(5_000), staking.fund_rewards(5_001, USDC))
            next_epoch(market)
            market.wait(EPOCH // 2)
            next_epoch(market)
        if cooled:
            market.act(staking.unstake(wallet, 1_000_000))
            market.wait(EPOCH)
            next_epoch(market)
        return Asked(f"/api/rewards/{act}", wallet, body)

    return prepare


def emptied(market: Market) -> Asked:
    wallet = market.wallet()
    staking.emptied(market, wallet)
    return Asked("/api/rewards/close", wallet)


def number_of(market: Market, proposal: Pubkey) -> int:
    return market.read(Proposal, proposal).id


def voting(
    act: str,
    flow: Callable[..., Pubkey],
    wallet: Pubkey = RENTER,
    action: Action = governance.TIP,
    **body: Any,
) -> Callable[[Market], Asked]:
    """A proposal that a flow leads to."""

    def prepare(market: Market) -> Asked:
        governance.with_stake(market)
        market.act(governance.hand_over())
        proposal = flow(market, action)
        return Asked(f"/api/governance/proposals/{number_of(market, proposal)}/{act}", wallet, body)

    return prepare


def enacted(market: Market, action: Action) -> Pubkey:
    proposal = governance.due(market, action)
    market.act(governance.execute(market, proposal))
    return proposal


def proposing(market: Market) -> Asked:
    governance.with_stake(market)
    action = {"kind": "set_parameter", "parameter": "tip_lamports", "value": "7"}
    return Asked("/api/governance/proposals", RENTER, {"action": action, "title": "Cheaper cranks"})


def voted_and_over(market: Market, action: Action) -> Pubkey:
    proposal = governance.voted(market, action)
    market.act(ix.queue_proposal(proposal=proposal))
    return proposal


REGISTERED: Final = (409, "account_address_taken")
PROPOSALS_STATE: Final = (409, "wrong_proposal_state")

HOSTS: Final = {
    "host_register": Scene(
        lambda market: Asked("/api/hosts", market.wallet(), KEY), REGISTERED, purposes=moving("account deposit")
    ),
    "host_update": Scene(host("/api/hosts/seal-key", **KEY), None, UNKNOWN_HOST),
    "host_set_operator": Scene(
        host("/api/hosts/operator", operator=str(STRANGER), listings=[str(LISTING)]),
        None,
        (409, "wrong_host"),
    ),
    "host_create_listing": Scene(
        host("/api/marketplace/listings", spec=SPEC), None, UNKNOWN_HOST, moving("account deposit")
    ),
    "host_update_listing": Scene(listing("update", spec=SPEC), None, UNKNOWN_HOST),
    "host_update_price": Scene(listing("price", on_demand_usd=6_000_000), None, UNKNOWN_HOST),
    "host_close_listing": Scene(
        listing("close"), (404, "unknown_listing"), UNKNOWN_HOST, moving("account deposit returned")
    ),
    "host_claim_payout": Scene(
        unpaid(HOST, lambda rental: f"/api/marketplace/listings/{LISTING}/payout"),
        (409, "nothing_to_claim"),
        purposes=moving("earnings"),
    ),
    "mfp_refresh_listing": Scene(refreshed, None),
    "mfp_lock": Scene(host("/api/mfp/lock", amount="9000"), None, UNKNOWN_HOST, moving("lock")),
    "mfp_unlock": Scene(locked("unlock", amount="9000"), (409, "insufficient_lock"), UNKNOWN_HOST),
    "mfp_withdraw": Scene(locked("withdraw"), (409, "nothing_to_withdraw"), UNKNOWN_HOST, moving("lock returned")),
    "staking_stake": Scene(
        lambda market: Asked("/api/rewards/stake", market.wallet(), {"amount": "1000001"}),
        None,
        purposes=moving("stake", "account deposit"),
    ),
    "staking_unstake": Scene(staker("unstake", amount="3000000"), (409, "insufficient_stake"), NO_STAKE),
    "staking_withdraw": Scene(
        staker("withdraw", cooled=True), (409, "nothing_to_withdraw"), NO_STAKE, moving("stake returned")
    ),
    "staking_claim": Scene(
        staker("claim", rewarded=True, token=str(USDC)), (409, "nothing_to_claim"), NO_STAKE, moving("rewards")
    ),
    "staking_compound": Scene(staker("compound", rewarded=True), (409, "nothing_to_claim"), NO_STAKE),
    "staking_close": Scene(emptied, NO_STAKE, NO_STAKE, moving("account deposit returned")),
    "staking_fund": Scene(
        lambda market: Asked("/api/rewards/fund", STRANGER, {"token": "SOL", "amount": "1000"}),
        None,
        purposes=moving("rewards for stakers"),
    ),
    "governance_propose": Scene(proposing, (409, "proposal_live"), NO_STAKE, moving("account deposit")),
    "governance_vote": Scene(
        voting("vote", governance.proposed, support=True),
        REGISTERED,
        NO_STAKE,
        moving("account deposit"),
    ),
    "governance_cancel": Scene(voting("cancel", governance.proposed), PROPOSALS_STATE, (409, "unauthorized")),
    "governance_veto": Scene(voting("veto", governance.queued, GUARDIAN, PAY), PROPOSALS_STATE, (409, "unauthorized")),
    "governance_queue": Scene(voting("queue", governance.voted), PROPOSALS_STATE),
    "governance_execute": Scene(voting("execute", governance.due), PROPOSALS_STATE),
    "governance_close": Scene(
        voting("close", enacted), (404, "unknown_proposal"), purposes=moving("account deposit returned")
    ),
    "governance_close_vote": Scene(
        voting("votes/close", voted_and_over), (404, "unknown_vote"), purposes=moving("account deposit returned")
    ),
    "market_fund_subsidy": Scene(
        lambda market: Asked("/api/market/subsidy", STRANGER, {"amount": "12345"}), None, purposes=moving("subsidy")
    ),
}
