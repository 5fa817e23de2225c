"""`gpu-market governance show`."""

from __future__ import annotations

from anchor_client.amounts import tokens
from anchor_client.market.governance.words import describe
from market_cli.acting import acting
from market_cli.commands.governance.arguments import ProposalId
from market_cli.commands.governance.render import moment, stage_text, waiting_for
from market_cli.output import table
from market_cli.session import Session


@acting
async def show(session: Session, proposal: ProposalId) -> None:
    """Show a proposal and its votes."""
    proposals, reads = session.market.governance, session.market.reads
    known = {"title": await proposals.title(proposal), "votes": await proposals.votes(proposal)}
    found = (await proposals.get(proposal)).model_copy(update=known)
    decimals, now = (await reads.market()).market_decimals, await reads.now()
    cast = found.votes_for + found.votes_against
    rows = table(None, "", "")
    for name, value in (
        ("proposal", f"{found.id} {found.title}".strip()),
        ("does", describe(found.action)),
        ("proposer", str(found.proposer)),
        ("stage", stage_text(found)),
        ("next", waiting_for(found, now)),
        ("for", f"{tokens(found.votes_for, decimals)} of {tokens(found.needed, decimals)} needed"),
        ("against", tokens(found.votes_against, decimals)),
        ("cast", f"{tokens(cast, decimals)} of {tokens(found.quorum, decimals)} for a quorum"),
        ("vote ends", moment(found.ends_at)),
        ("executable", "—" if found.execute_at is None else f"from {moment(found.execute_at)}"),
    ):
        rows.add_row(name, value)
    for vote in found.votes or ():
        rows.add_row("vote", f"{vote.voter} {'for' if vote.support else 'against'} {tokens(vote.weight, decimals)}")
    session.out.show(found, lambda console: console.print(rows))
