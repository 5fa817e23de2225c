"""Common code of the `propose` commands."""

from __future__ import annotations

from dataclasses import replace

from anchor_client.generated.types import Action
from anchor_client.market.governance.words import describe
from market_cli.session import CliSession
from market_cli.units import moment


async def propose(session: CliSession, action: Action, title: str) -> None:
    """Creates a proposal and prints its number."""
    governance = session.signing.governance
    made = await governance.get(await governance.propose(action, title))
    document = replace(made, title=title)
    session.out.show(document, f"Proposal {made.id}: {describe(made.action)}. Voting ends {moment(made.ends_at)}.")
