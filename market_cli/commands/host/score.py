"""`gpu-market host score`."""

from __future__ import annotations

from market_cli.acting import acting
from market_cli.commands.host.show import HostWallet, host_wallet, percent
from market_cli.session import Session


@acting
async def score(session: Session, authority: HostWallet = None) -> None:
    """Update a host's reputation if an update is due. Anyone may do this."""
    wallet = host_wallet(session, authority)
    sent = await session.signing.host.update_reputation(wallet)
    host = await session.market.host.get(wallet)
    document = host.model_dump(mode="json") | {"transactions": [str(one.signature) for one in sent]}
    text = f"{wallet}  reputation {'not scored yet' if host.score_bps is None else percent(host.score_bps)}"
    session.out.show(document, lambda console: console.print(text))
