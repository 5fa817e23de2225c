"""`gpu-market governance show`."""

from __future__ import annotations

from anchor_client.amounts import tokens
from anchor_client.market.governance.words import describe
from anchor_client.resources.proposal import Vote
from market_cli.acting import acting
from market_cli.commands.governance.arguments import ProposalId
from market_cli.commands.governance.render import moment, stage_text, waiting_for
from market_cli.output import table
from market_cli.session import Session


@acting
async def show(session: Session, proposal: ProposalId) -> None:
    """Show a proposal and its votes."""
    proposals, reads = session.market.governance, session.market.reads
    found = await proposals.get(proposal)
    title, votes = await proposals.title(proposal), await proposals.votes(proposal)
    decimals, now = (await reads.market()).market_decimals, await reads.now()
    cast = sorted(votes.items(), key=lambda item: (-item[1].weight, str(item[0])))
    document = found.shown.model_copy(
        update={
            "title": title,
            "votes": tuple(
                Vote(voter=voter, support=vote.support != 0, weight=vote.weight, ts=vote.voted_at)
                for voter, vote in cast
            ),
        }
    )
    tally = found.tally
    rows = table(None, "", "")
    for name, value in (
        ("proposal", f"{found.id} {title}".strip()),
        ("does", describe(found.action)),
        ("proposer", str(found.proposer)),
        ("stage", stage_text(found)),
        ("next", waiting_for(found, now)),
        ("for", f"{tokens(tally.votes_for, decimals)} of {tokens(tally.needed, decimals)} needed"),
        ("against", tokens(tally.votes_against, decimals)),
        ("cast", f"{tokens(tally.cast, decimals)} of {tokens(tally.quorum, decimals)} for a quorum"),
        ("vote ends", moment(found.ends_at)),
        ("executable", "—" if found.execute_at is None else f"from {moment(found.execute_at)}"),
    ):
        rows.add_row(name, value)
    for voter, vote in votes.items():
        rows.add_row("vote", f"{voter} {'for' if vote.support else 'against'} {tokens(vote.weight, decimals)}")
    session.out.show(document, lambda console: console.print(rows))
