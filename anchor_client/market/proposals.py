"""market.proposals: what stakers vote on, and every step from a proposal to its execution."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.errors import UnknownProposal
from anchor_client.generated import instructions as build
from anchor_client.generated.accounts import Proposal, VoteRecord
from anchor_client.generated.events import ProposalCreated
from anchor_client.generated.pdas import find_governance, find_proposal, find_vote_record
from anchor_client.generated.types import Action, MarketKey
from anchor_client.governance import action_of, execution
from anchor_client.governance.loader import set_upgrade_authority
from anchor_client.market.session import Session
from anchor_client.rules.proposal import Stage, Tally, proposal_stage, tally_of
from anchor_client.transactions import Sent
from anchor_client.transactions.details import read_details


@dataclass(frozen=True, slots=True)
class ProposalStatus:
    """A proposal as it stands; times are unix seconds, votes base units of stake."""

    id: int
    address: Pubkey
    proposer: Pubkey
    action: Action
    stage: Stage
    tally: Tally
    voters: int
    created_at: int
    ends_at: int
    execute_at: int | None


class Proposals:
    """Proposals of anyone. Every method raises the network's errors; those that name an id raise UnknownProposal, and
    those that sign WalletNeeded and the program's refusals.
    """

    def __init__(self, session: Session) -> None:
        self._session = session
        self._program = session.program_id

    async def get(self, id: int) -> ProposalStatus:
        """A proposal by its number."""
        return self._status(id, await self._read(id), await self._session.reads.now())

    async def all(self) -> Sequence[ProposalStatus]:
        """Every proposal, newest first."""
        found = await self._session.reads.program.read_all(Proposal)
        now = await self._session.reads.now()
        newest = sorted(found.values(), key=lambda proposal: -proposal.id)
        return [self._status(proposal.id, proposal, now) for proposal in newest]

    async def title(self, id: int) -> str:
        """What the proposer gave it as a title, read from its first transaction; empty where the node forgot it."""
        session, address = self._session, self.address(id)
        for signature in (await session.history.signatures(address))[:1]:
            commitment = session.reads.program.commitment
            details = await read_details(session.client, signature, commitment=commitment, program_id=self._program)
            for event in details.events:
                if isinstance(event, ProposalCreated) and event.proposal == address:
                    return event.title
        return ""

    async def create(self, action: Action, title: str) -> int:
        """Puts an action to the vote and gives its number. The wallet's active stake stays until the vote ends."""
        id = (await self._session.reads.market()).next_proposal
        proposer = self._session.address
        act = build.create_proposal(id=id, action=action, title=title, proposer=proposer, program_id=self._program)
        await self._session.send([act])
        return id

    async def vote(self, id: int, *, support: bool) -> Sent:
        """Votes with the wallet's active stake, which stays until the vote ends."""
        voter = self._session.address
        return await self._send(
            build.vote(support=support, voter=voter, proposal=await self._existing(id), program_id=self._program)
        )

    async def cancel(self, id: int) -> Sent:
        """Takes back a proposal of the wallet's own before its vote ends."""
        proposer = self._session.address
        return await self._send(
            build.cancel_proposal(proposer=proposer, proposal=await self._existing(id), program_id=self._program)
        )

    async def queue(self, id: int) -> Sent:
        """Has the votes counted once the vote has ended. Anyone."""
        return await self._send(build.queue_proposal(proposal=await self._existing(id), program_id=self._program))

    async def execute(self, id: int) -> Sent:
        """Does what was voted for, after the timelock. Anyone; a recipient's token account is made if need be."""
        return await self._session.send(await self.execution(id))

    async def execution(self, id: int) -> Sequence[Instruction]:
        """The instructions of `execute`, for the wallet."""
        return execution(await self._read(id), self._session.address, self._program)

    async def votes(self, id: int) -> dict[Pubkey, VoteRecord]:
        """The votes on a proposal whose rent has not been taken back, by voter."""
        records = await self._session.reads.program.read_all(VoteRecord, {"proposal": bytes(self.address(id))})
        return {record.voter: record for record in records.values()}

    async def vote_of(self, id: int, voter: Pubkey) -> VoteRecord | None:
        """How a wallet voted; None if it did not, or took the rent back."""
        address = find_vote_record(self.address(id), voter, self._program)[0]
        return await self._session.reads.program.read(VoteRecord, address)

    async def close_vote(self, id: int, voter: Pubkey | None = None) -> Sent:
        """Gives a voter (the wallet unless named) the rent of a vote back once the vote is over. Anyone."""
        return await self._send(
            build.close_vote(proposal=self.address(id), voter=voter or self._session.address, program_id=self._program)
        )

    async def hand_over(self, *, treasury: bool = True, program: bool = True) -> Sent:
        """Makes the stakers' vote the market's authority, for ever, and by default the owner of the treasury and of
        the program's code, all in one transaction. The market's authority, who holds the upgrade authority too.
        """
        authority, governance = self._session.address, self.governance
        acts: list[Instruction] = []
        if treasury:
            acts.append(
                build.update_market_key(
                    key=MarketKey.TREASURY, new=governance, authority=authority, program_id=self._program
                )
            )
        if program:
            acts.append(set_upgrade_authority(self._program, authority, governance))
        acts.append(build.hand_over(authority=authority, program_id=self._program))
        return await self._session.send(acts)

    @property
    def governance(self) -> Pubkey:
        """The address that executed proposals sign as."""
        return find_governance(self._program)[0]

    def address(self, id: int) -> Pubkey:
        """The account of a proposal."""
        return find_proposal(id, self._program)[0]

    async def _existing(self, id: int) -> Pubkey:
        """The address of a proposal that there is. UnknownProposal."""
        await self._read(id)
        return self.address(id)

    async def _read(self, id: int) -> Proposal:
        found = await self._session.reads.program.read(Proposal, self.address(id))
        if found is None:
            raise UnknownProposal(f"There is no proposal {id}")
        return found

    async def _send(self, act: Instruction) -> Sent:
        return await self._session.send([act])

    def _status(self, id: int, proposal: Proposal, now: int) -> ProposalStatus:
        return ProposalStatus(
            id=id,
            address=self.address(id),
            proposer=proposal.proposer,
            action=action_of(proposal),
            stage=proposal_stage(proposal, now),
            tally=tally_of(proposal),
            voters=proposal.voters,
            created_at=proposal.created_at,
            ends_at=proposal.ends_at,
            execute_at=proposal.execute_at or None,
        )
