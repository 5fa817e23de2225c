"""The governance demo: stakers take over a market and pass a parameter change and a payment."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from anchor_client.amounts import duration
from anchor_client.generated.pdas import find_catalog, find_pool
from anchor_client.generated.types import Action, ActionSetParameter, ActionTreasuryTransfer, MarketParameter
from anchor_client.market import Market, Proposal
from anchor_client.market.governance.words import describe
from anchor_client.rules.proposal import ProposalStage
from anchor_client.solana.http.client import HttpClient
from anchor_client.solana.tokens import associated_token, balance_in
from anchor_client.solana.wallet import Wallet, parse_address
from anchor_client.symbols import MARKET_TOKEN
from local_market.demo.time import TimeMachine
from local_market.demo.waiting import polled
from local_market.errors import Disagreement
from local_market.issuing import funded_wallet, issue_to
from local_market.keys import key_path
from local_market.running import RunningMarket

PERIODS: Final = {
    MarketParameter.EPOCH_SECONDS: 60,
    MarketParameter.VOTING_PERIOD: 300,
    MarketParameter.TIMELOCK: 120,
    MarketParameter.CRITICAL_TIMELOCK: 120,
}
"""Seconds, as only a market for tests takes them; a real one uses days."""
STAKE: Final = 500_000 * 10**6
TREASURY: Final = 1_000 * 10**6
PAID: Final = 250 * 10**6
TIP: Final = 7_000
PATIENCE_SECONDS: Final = 60.0


async def governance(running: RunningMarket, tell: Callable[[str], None]) -> tuple[dict[str, Any], list[str]]:
    """The proposals, and where chain and API disagree on the decisions. The hand-over is irreversible."""
    tokens = {symbol: parse_address(mint) for symbol, mint in running.tokens.items()}
    market = Market.connect(running.rpc_url, ws_url=running.ws_url, tokens=tokens)
    async with market, HttpClient(running.api_url) as api:
        story = _Story(market, running, api, tell)
        await story.hand_over()
        made = await story.vote_through()
        done = [await story.executed(one) for one in made]
        differences = [text for one in done for text in await story.differences(one)]
        differences += await story.unpaid()
    told = [{"id": one.id, "action": one.action, "stage": one.stage.value, "voters": one.voters} for one in done]
    return {"proposals": told}, differences


class _Story:
    """Two stakers, one for and one against. `tell` prints a line of progress."""

    def __init__(self, market: Market, running: RunningMarket, api: HttpClient, tell: Callable[[str], None]) -> None:
        self._market = market
        self._api = api
        self._tell = tell
        self._keys = Path(running.data) / "keys"
        self._mint = parse_address(running.tokens[MARKET_TOKEN])
        self._time = TimeMachine(market, running.rpc_url, self._mint)
        self._recipient = Wallet.generate().pubkey
        self._stakers: list[Market] = []

    async def hand_over(self) -> None:
        """Two wallets stake; then the authority hands market, treasury and program to governance."""
        authority = self._market.signing_as(Wallet.from_file(key_path(self._keys, "authority")))
        pool, catalog = (find(self._market.program_id)[0] for find in (find_pool, find_catalog))
        if await self._market.reads.program.account(pool) is None:
            await authority.staking.initialize()
        if await self._market.reads.program.account(catalog) is None:
            await authority.mfp.initialize()
        await authority.update(dict(PERIODS))
        for amount in (3 * STAKE, STAKE):
            wallet = await funded_wallet(self._market, self._keys, self._mint, amount)
            self._stakers.append(self._market.signing_as(wallet))
            await self._stakers[-1].staking.stake(amount)
        self._tell("Two wallets stake 1,500,000 and 500,000 market tokens; an epoch passes.")
        await self._time.jump((await self._market.reads.pool()).epoch_ends_at - await self._market.reads.now() + 1)
        await issue_to(self._market, self._keys, self._mint, self._market.governance.authority, TREASURY)
        await authority.governance.hand_over()
        self._tell("The authority hands market, treasury and program over to governance.")

    async def vote_through(self) -> list[Proposal]:
        """A proposal of each staker with a vote for and one against, up to the end of the vote."""
        first, second = self._stakers
        made = []
        for proposer, (action, title) in zip(self._stakers, self._actions(), strict=True):
            id = await proposer.governance.propose(action, title)
            await first.governance.vote(id, support=True)
            await second.governance.vote(id, support=False)
            made.append(await first.governance.get(id))
            self._tell(f"Proposal {id}: {describe(made[-1].action)}; three quarters of the stake are for it.")
        self._tell(f"{duration(PERIODS[MarketParameter.VOTING_PERIOD])} pass; a keeper counts the votes …")
        await self._time.jump(PERIODS[MarketParameter.VOTING_PERIOD] + 1)
        for one in made:
            await self._reach(one.id, ProposalStage.QUEUED)
        self._tell(f"{duration(PERIODS[MarketParameter.TIMELOCK])} of timelock pass; the keeper executes them …")
        await self._time.jump(PERIODS[MarketParameter.TIMELOCK] + 1)
        return made

    async def executed(self, proposal: Proposal) -> Proposal:
        """The proposal, once a keeper has executed it."""
        done = await self._reach(proposal.id, ProposalStage.EXECUTED)
        self._tell(f"  proposal {done.id} is executed")
        return done

    async def differences(self, proposal: Proposal) -> list[str]:
        """Differences between the API and the chain."""
        told = await self._told(proposal.id)
        expected = {
            "action": proposal.action,
            "stage": proposal.stage.value,
            "votes_for": str(proposal.votes_for),
            "votes_against": str(proposal.votes_against),
            "voters": proposal.voters,
            "execute_at": proposal.execute_at,
        }
        return [
            f"proposal {proposal.id}, {name}: {told[name]} and {value}"
            for name, value in expected.items()
            if told[name] != value
        ]

    async def unpaid(self) -> list[str]:
        """Voted changes that did not take effect."""
        found = []
        if (tip := (await self._market.reads.market()).tip_lamports) != TIP:
            found.append(f"the tip is {tip} lamports, not {TIP}")
        purse = associated_token(self._recipient, self._mint)
        if (held := balance_in(await self._market.reads.program.account(purse))) != PAID:
            found.append(f"the recipient holds {held} base units, not {PAID}")
        return found

    def _actions(self) -> list[tuple[Action, str]]:
        return [
            (ActionSetParameter(MarketParameter.TIP_LAMPORTS, TIP), "Tip keepers less"),
            (ActionTreasuryTransfer(self._mint, self._recipient, PAID), "Pay the auditor"),
        ]

    async def _reach(self, id: int, stage: ProposalStage) -> Proposal:
        async def reached() -> Proposal | None:
            found = await self._market.governance.get(id)
            return found if found.stage is stage else None

        late = Disagreement(f"Proposal {id} is not {stage} after {PATIENCE_SECONDS:.0f} s")
        return await polled(reached, PATIENCE_SECONDS, late)

    async def _told(self, id: int) -> dict[str, Any]:
        """The API's answer once the execution is final and indexed."""

        async def executed() -> dict[str, Any] | None:
            answer = await self._api.request("GET", f"/api/governance/proposals/{id}")
            told = json.loads(answer.text) if answer.is_success else None
            return told if told is not None and told["stage"] == ProposalStage.EXECUTED else None

        late = Disagreement(f"After {PATIENCE_SECONDS:.0f} s the API does not show that proposal {id} is executed")
        return await polled(executed, PATIENCE_SECONDS, late)
