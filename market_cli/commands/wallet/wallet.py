"""Commands for a wallet."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from anchor_client.amounts import tokens, usd
from anchor_client.balances import read_balances
from anchor_client.resources.quota import WalletQuota
from anchor_client.service.optional import optional
from anchor_client.solana.wallet import Wallet
from anchor_client.symbols import MARKET_TOKEN
from market_cli.acting import acting
from market_cli.commands.arguments import Owner
from market_cli.errors import BadOption
from market_cli.output import table
from market_cli.paths import wallet_file
from market_cli.session import CliSession
from market_cli.worth import cents, read_worth


@acting
async def show(session: CliSession, address: Owner = None) -> None:
    """Show a wallet's address and balances."""
    owner = session.owner(address)
    balances = await read_balances(session.market.reads.program, owner, session.settings.tokens)
    worth = await read_worth(session)
    rows = table("token", "balance", "worth", numbers=("balance", "worth"))
    for balance in balances:
        dollars = worth.micro_usd(balance.mint, balance.base_units)
        rows.add_row(balance.symbol, tokens(balance.base_units, balance.decimals), optional(cents, dollars) or "—")
    told = [{**asdict(one), "mint": str(one.mint), "base_units": str(one.base_units)} for one in balances]
    session.out.show({"address": str(owner), "balances": told}, str(owner), rows)


@acting
async def new(
    session: CliSession,
    path: Annotated[Path | None, typer.Argument(help="Key file to create.", show_default=False)] = None,
) -> None:
    """Create a key file that only you can read. Never overwrites one."""
    if session.flags.keypair is not None:
        raise BadOption("--keypair names a key that exists", "Name the new file alone: `gpu-market wallet new FILE`.")
    file = path or wallet_file()
    wallet = Wallet.generate(file)
    session.out.show({"address": str(wallet.pubkey), "keypair": str(file)}, f"{wallet.pubkey}  in {file}")


@acting
async def quota(session: CliSession, address: Owner = None) -> None:
    """Show a wallet's quota of simultaneous rentals and its current use."""
    owner = session.owner(address)
    reads = session.market.reads
    found = WalletQuota.of(owner, await reads.quota(owner))
    stake = tokens(found.stake, (await reads.market()).market_decimals, MARKET_TOKEN)
    rows = table("where", "rentals", "limit", numbers=("rentals", "limit"))
    rows.add_row("everywhere", str(found.used), str(found.limit))
    for each in found.regions:
        rows.add_row(each.region, str(each.used), str(found.region_limit))
    session.out.show(
        found,
        str(owner),
        rows,
        f"including {found.by_stake} for {stake} of active stake",
        f"and {found.by_spend} for {usd(found.spent_usd)} spent",
    )
