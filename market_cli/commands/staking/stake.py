"""Commands of `gpu-market staking` for stake."""

from __future__ import annotations

from rich.console import Group
from solders.pubkey import Pubkey

from anchor_client.amounts import Denomination, duration, tokens
from anchor_client.market import Market
from anchor_client.resources.stake import Stake
from anchor_client.solana.transactions import Sent
from market_cli.acting import acting
from market_cli.commands.arguments import Amount, Owner
from market_cli.output import table
from market_cli.session import CliSession
from market_cli.units import withdrawable


@acting
async def show(session: CliSession, address: Owner = None) -> None:
    """Show a wallet's stake and claimable rewards."""
    stake, rows = await _read(session.market, session.owner(address))
    session.out.show(stake, rows)


@acting
async def stake(session: CliSession, amount: Amount) -> None:
    """Stake market tokens. They become active when the current epoch ends."""
    sent = await session.signing.staking.stake(await session.market_token_units(amount))
    await show_changed(session, sent, f"Staked {amount}.")


@acting
async def unstake(session: CliSession, amount: Amount) -> None:
    """Unstake tokens, warming ones first. They stop counting immediately and cool down for one epoch."""
    sent = await session.signing.staking.unstake(await session.market_token_units(amount))
    await show_changed(session, sent, f"Unstaked {amount}; cooling down.")


@acting
async def withdraw(session: CliSession) -> None:
    """Withdraw all stake that has cooled down."""
    await show_changed(session, await session.signing.staking.withdraw(), "Withdrew the cooled-down stake.")


@acting
async def close(session: CliSession) -> None:
    """Close the wallet's empty stake account and reclaim its rent."""
    sent = await session.signing.staking.close()
    session.out.sent(sent, "Closed the stake account and reclaimed its rent.", owner=str(session.wallet.pubkey))


async def show_changed(session: CliSession, sent: Sent, done: str) -> None:
    """Prints the wallet's stake after a transaction."""
    stake, rows = await _read(session.signing, session.wallet.pubkey)
    session.out.changed(sent, stake, done, rows)


async def _read(market: Market, owner: Pubkey) -> tuple[Stake, Group]:
    stake = await market.staking.get(owner)
    now = await market.reads.now()
    token = await market.reads.denomination((await market.reads.market()).market_mint)
    return stake, _lines(stake, now, token)


def _lines(stake: Stake, now: int, token: Denomination) -> Group:
    left = duration(max(stake.epoch_ends_at - now, 0))
    rows = table("", "amount", "", numbers=("amount",))
    rows.add_row("active", token.say(stake.active), "earns rewards; counts for fees, quotas and votes")
    if stake.warming:
        rows.add_row("warming up", token.say(stake.warming), f"active in {left}")
    if stake.cool_at is not None:
        rows.add_row("cooling down", token.say(stake.cooling), withdrawable(stake.cool_at, now))
    for amounts, when in (("pending", "claimable"), ("coming", f"claimable in {left}")):
        for reward in stake.rewards:
            if amount := getattr(reward, amounts):
                rows.add_row("reward", tokens(amount, reward.decimals or 0, reward.token or str(reward.mint)), when)
    return Group(f"{stake.owner}, epoch {stake.epoch} ends in {left}", rows)
