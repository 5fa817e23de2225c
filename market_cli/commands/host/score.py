"""`gpu-market host score`."""

from __future__ import annotations

from market_cli.acting import acting
from market_cli.commands.host.show import HostWallet, host_document, host_wallet, percent
from market_cli.session import Session


@acting
async def score(session: Session, authority: HostWallet = None) -> None:
    """Update a host's reputation if an update is due. Anyone may do this."""
    wallet = host_wallet(session, authority)
    sent = await session.signing.host.update_reputation(wallet)
    host = await session.market.reads.host(wallet)
    document = host_document(host) | {"transactions": [str(one.signature) for one in sent]}
    text = f"{wallet}  reputation {percent(host.score) if host.scored_at else 'not scored yet'}"
    session.out.show(document, lambda console: console.print(text))
