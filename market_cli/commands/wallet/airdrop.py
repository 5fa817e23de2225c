"""`gpu-market wallet airdrop`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from solders.pubkey import Pubkey
from solders.signature import Signature

from anchor_client.amounts import SOL_DECIMALS, tokens
from anchor_client.errors import UnknownPaymentToken
from anchor_client.market import Market
from anchor_client.solana.wallet import parse_address
from local_market.errors import NotLocal
from local_market.issuing import issue_to
from market_cli.acting import acting
from market_cli.errors import BadAmount
from market_cli.session import CliSession
from market_cli.units import base_units

SOL = "SOL"


@acting
async def airdrop(
    session: CliSession,
    amount: Annotated[str, typer.Argument(help="Amount of tokens.")],
    token: Annotated[str, typer.Option("--token", help="SOL, or GPUM or USDC on a local market.")] = SOL,
    to: Annotated[str | None, typer.Option("--to", help="Wallet address; default: yours.", show_default=False)] = None,
) -> None:
    """Get test tokens: SOL from the faucet (localnet, devnet), others on a local market."""
    owner = session.owner(to)
    symbol = token.upper()
    if symbol == SOL:
        received = base_units(amount, SOL_DECIMALS)
        decimals = SOL_DECIMALS
        signature = str(await ask_faucet(session.market, owner, _positive(received)))
    else:
        received, decimals, signature = await _issue(session, owner, symbol, amount)
    document = {
        "address": str(owner),
        "token": symbol,
        "base_units": str(received),
        "decimals": decimals,
        "signature": signature,
    }
    session.out.show(document, f"{tokens(received, decimals, symbol)} to {owner}")


async def ask_faucet(market: Market, owner: Pubkey, lamports: int) -> Signature:
    """Asks the cluster for lamports, and waits until they have arrived, so that the next act can spend them."""
    sender = market.session.sender
    signature = await sender.client.request_airdrop(owner, lamports)
    _, last_valid_block_height = await sender.latest_blockhash()
    await sender.confirm(signature, last_valid_block_height)
    return signature


async def _issue(session: CliSession, owner: Pubkey, symbol: str, amount: str) -> tuple[int, int, str]:
    """Mints tokens of a local market with its authority's key."""
    local = session.settings.local
    if local is None:
        raise NotLocal(f"{symbol} can only be minted on a local market")
    if symbol not in local.tokens:
        raise UnknownPaymentToken(symbol, [SOL, *local.tokens])
    mint = parse_address(local.tokens[symbol])
    decimals = (await session.market.reads.denomination(mint)).decimals
    received = _positive(base_units(amount, decimals))
    sent = await issue_to(session.market, Path(local.data) / "keys", mint, owner, received)
    return received, decimals, str(sent.signature)


def _positive(amount: int) -> int:
    if amount == 0:
        raise BadAmount("The amount is zero", "Choose an amount such as 10 or 0.5.")
    return amount
