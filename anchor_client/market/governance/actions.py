"""Proposals that stakers vote on, and every step from proposing to execution."""

from __future__ import annotations

from collections.abc import Sequence

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.errors import NoStake, UnknownProposal, UnknownVote
from anchor_client.generated import instructions as build
from anchor_client.generated.accounts import Proposal as Account
from anchor_client.generated.accounts import StakeAccount, VoteRecord
from anchor_client.generated.events import ProposalCreated
from anchor_client.generated.pdas import find_governance, find_proposal
from anchor_client.generated.types import Action, MarketKey, ProposalState
from anchor_client.market.area import Area
from anchor_client.market.governance.execution import action_of, execution
from anchor_client.market.governance.words import action_fields
from anchor_client.resources.proposal import Proposal, Vote, proposal_of
from anchor_client.rules.proposal import proposal_stage
from anchor_client.solana.loader import set_upgrade_authority
from anchor_client.solana.transactions import Sent


class GovernanceActions(Area):
    """Proposals of anyone. Methods that take an id raise UnknownProposal."""

    async def get(self, id: int) -> Proposal:
        """A proposal by its number, without its title and votes."""
        return self._resource(*await self._found(id), await self.reads.now())

    async def list(self) -> Sequence[Proposal]:
        """Every proposal, newest first."""
        found = await self.reads.program.read_all(Account)
        now = await self.reads.now()
        newest = sorted(found.items(), key=lambda item: -item[1].id)
        return [self._resource(address, proposal, now) for address, proposal in newest]

    async def title(self, id: int) -> str:
        """Title that the proposer gave it, read from its first transaction; empty where the node no longer has that."""
        history = self.session.history
        address = await self.address_of(id)
        for signature in (await history.signatures(address))[:1]:
            for event in (await history.details(signature)).events:
                if isinstance(event, ProposalCreated) and event.proposal == address:
                    return event.title
        return ""

    async def propose(self, action: Action, title: str) -> int:
        """Puts an action to the vote and gives its number. The wallet's active stake stays until the vote ends.

        The wallet's last proposal is closed with it, and has to be over: ProposalLive. NoStake.
        """
        stake = await self._stake_of(self.address)
        act = self.instruction(
            build.create_proposal, nonce=stake.next_proposal, action=action, title=title, proposer=self.address
        )
        sent = await self.send(*await self._closing_last(stake), act)
        return sent.event(ProposalCreated).id

    async def vote(self, id: int, *, support: bool) -> Sent:
        """Votes with the wallet's stake that was active when the proposal opened; it stays until the vote ends.

        NoStake.
        """
        voter = self.address
        proposal = await self.address_of(id)
        await self._stake_of(voter)
        return await self.act(build.vote, support=support, voter=voter, proposal=proposal)

    async def cancel(self, id: int) -> Sent:
        """Takes back a proposal of the wallet's own before its vote ends."""
        proposer = self.address
        return await self.act(build.cancel_proposal, proposer=proposer, proposal=await self.address_of(id))

    async def veto(self, id: int) -> Sent:
        """Stops a queued upgrade or payment of the treasury. The guardian."""
        return await self.act(build.veto_proposal, guardian=self.address, proposal=await self.address_of(id))

    async def close(self, id: int) -> Sent:
        """Gives the proposer the rent of a proposal that is over; they may make another. Anyone."""
        proposal, account = await self._found(id)
        return await self.act(build.close_proposal, proposal=proposal, proposal_data=account)

    async def queue(self, id: int) -> Sent:
        """Has the votes counted in the week after the vote. Anyone."""
        return await self.act(build.queue_proposal, proposal=await self.address_of(id))

    async def execute(self, id: int) -> Sent:
        """Does what was voted for, after the timelock. Anyone; a recipient's token account is made if need be."""
        return await self.send(*await self.execution(id))

    async def execution(self, id: int) -> Sequence[Instruction]:
        """The instructions of `execute`, for the wallet."""
        _, account = await self._found(id)
        return execution(account, self.address, self.program_id)

    async def votes(self, id: int) -> tuple[Vote, ...]:
        """The votes on a proposal whose rent has not been taken back, heaviest first; none for an unknown number."""
        found = await self.reads.program.read_all(VoteRecord, {"proposal_id": _filter(id)})
        cast = sorted(found.values(), key=lambda vote: (-vote.weight, str(vote.voter)))
        return tuple(
            Vote(voter=vote.voter, support=vote.support != 0, weight=vote.weight, ts=vote.voted_at) for vote in cast
        )

    async def close_vote(self, id: int, voter: Pubkey | None = None) -> Sent:
        """Gives a voter (the wallet unless named) the rent of a vote back once the vote is over, whether or not the
        proposal is closed. Anyone. UnknownVote.
        """
        return await self.act(build.close_vote, vote_record_data=await self.record(id, voter or self.address))

    async def record(self, id: int, voter: Pubkey) -> VoteRecord:
        """The account of a wallet's vote. UnknownVote."""
        named = {"proposal_id": _filter(id), "voter": bytes(voter)}
        for record in (await self.reads.program.read_all(VoteRecord, named)).values():
            return record
        raise UnknownVote(f"There is no vote of {voter} on proposal {id}")

    async def hand_over(self, *, treasury: bool = True, program: bool = True) -> Sent:
        """Makes the stakers' vote the market's authority, for ever, and by default the owner of the treasury and of
        the program's code, all in one transaction. The market's authority, who holds the upgrade authority too.
        """
        authority = self.address
        governance = self.authority
        acts: list[Instruction] = []
        if treasury:
            acts.append(
                self.instruction(build.update_market_key, key=MarketKey.TREASURY, new=governance, authority=authority)
            )
        if program:
            acts.append(set_upgrade_authority(self.program_id, authority, governance))
        acts.append(self.instruction(build.hand_over, authority=authority))
        return await self.send(*acts)

    @property
    def authority(self) -> Pubkey:
        """The address that executed proposals sign as."""
        return find_governance(self.program_id)[0]

    async def address_of(self, id: int) -> Pubkey:
        """The account of a proposal."""
        address, _ = await self._found(id)
        return address

    async def next_address(self, proposer: Pubkey) -> Pubkey:
        """The account of the next proposal that a wallet makes. NoStake."""
        stake = await self._stake_of(proposer)
        return find_proposal(proposer, stake.next_proposal, self.program_id)[0]

    async def _closing_last(self, stake: StakeAccount) -> Sequence[Instruction]:
        """Instructions that close the staker's last proposal, if it is over."""
        if stake.proposal == Pubkey.default():
            return []
        last = await self.reads.program.read(Account, stake.proposal)
        if last is None or not proposal_stage(last, await self.reads.now()).is_over:
            return []
        return [self.instruction(build.close_proposal, proposal=stake.proposal, proposal_data=last)]

    async def _stake_of(self, wallet: Pubkey) -> StakeAccount:
        """A wallet's stake account. NoStake."""
        stake = await self.reads.stake_account(wallet)
        if stake is None:
            raise NoStake(f"{wallet} has no stake account")
        return stake

    async def _found(self, id: int) -> tuple[Pubkey, Account]:
        """A proposal's account and its address. UnknownProposal."""
        for found in (await self.reads.program.read_all(Account, {"id": _filter(id)})).items():
            return found
        raise UnknownProposal(f"There is no proposal {id}")

    def _resource(self, address: Pubkey, account: Account, now: int) -> Proposal:
        return proposal_of(
            account,
            state=ProposalState(account.state),
            now=now,
            action=action_fields(action_of(account)),
            id=account.id,
            address=address,
            title=None,
        )


def _filter(id: int) -> bytes:
    """A proposal's number as accounts hold it."""
    return id.to_bytes(8, "little")
