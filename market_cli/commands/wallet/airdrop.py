"""`gpu-market wallet airdrop`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from solders.instruction import Instruction
from solders.pubkey import Pubkey
from solders.token.state import Mint
from spl.token.constants import TOKEN_PROGRAM_ID
from spl.token.instructions import (
    create_idempotent_associated_token_account,
    get_associated_token_address,
    mint_to,
)
from spl.token.models import MintToParams

from anchor_client.amounts import SOL_DECIMALS, tokens
from anchor_client.errors import UnknownPaymentToken
from anchor_client.rpc import rpc_errors
from anchor_client.wallet import Wallet, parse_address
from local_market.errors import NotLocal
from local_market.keys import key_path
from market_cli.acting import acting
from market_cli.errors import BadAmount
from market_cli.session import Session
from market_cli.units import base_units

SOL = "SOL"


@acting
async def airdrop(
    session: Session,
    amount: Annotated[str, typer.Argument(help="Amount of tokens.")],
    token: Annotated[str, typer.Option("--token", help="SOL, or GPUM or USDC on a local market.")] = SOL,
    to: Annotated[str | None, typer.Option("--to", help="Wallet address; default: yours.", show_default=False)] = None,
) -> None:
    """Get test tokens: SOL from the faucet (localnet, devnet), others on a local market."""
    owner = session.owner(to)
    symbol = token.upper()
    if symbol == SOL:
        received, decimals = base_units(amount, SOL_DECIMALS), SOL_DECIMALS
        client = session.market.session.client
        with rpc_errors(client):
            signature = str((await client.request_airdrop(owner, _positive(received))).value)
    else:
        received, decimals, signature = await _issue(session, owner, symbol, amount)
    document = {
        "address": str(owner),
        "token": symbol,
        "base_units": received,
        "decimals": decimals,
        "signature": signature,
    }
    session.out.show(document, f"{tokens(received, decimals, symbol)} to {owner}")


async def _issue(session: Session, owner: Pubkey, symbol: str, amount: str) -> tuple[int, int, str]:
    """Mints tokens of a local market with its authority's key."""
    local = session.settings.local
    if local is None:
        raise NotLocal(f"{symbol} can only be minted on a local market")
    if symbol not in local.tokens:
        raise UnknownPaymentToken(symbol, [SOL, *local.tokens])
    mint = parse_address(local.tokens[symbol])
    account = await session.market.reads.program.account(mint)
    if account is None:
        raise NotLocal(f"The local market has no mint of {symbol}")
    decimals = Mint.from_bytes(account.data).decimals
    received = _positive(base_units(amount, decimals))
    authority = Wallet.from_file(key_path(Path(local.data) / "keys", "authority"))
    instructions = _issue_instructions(authority.pubkey, owner, mint, received)
    sent = await session.market.session.sender.send(instructions, payer=authority)
    return received, decimals, str(sent.signature)


def _issue_instructions(authority: Pubkey, owner: Pubkey, mint: Pubkey, amount: int) -> list[Instruction]:
    issue = MintToParams(
        program_id=TOKEN_PROGRAM_ID,
        mint=mint,
        dest=get_associated_token_address(owner, mint),
        mint_authority=authority,
        amount=amount,
    )
    return [create_idempotent_associated_token_account(authority, owner, mint), mint_to(issue)]


def _positive(amount: int) -> int:
    if amount == 0:
        raise BadAmount("The amount is zero", "Choose an amount such as 10 or 0.5.")
    return amount
