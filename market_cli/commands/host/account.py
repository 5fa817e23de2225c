"""A host's account."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anchor_client.generated.pdas import find_host
from anchor_client.sealing import SealKey
from anchor_client.solana.wallet import parse_address
from anchor_client.symbols import MARKET_TOKEN
from market_cli.acting import acting
from market_cli.commands.arguments import SubsidyBudget
from market_cli.paths import seal_key_file
from market_cli.session import CliSession
from market_cli.units import base_units


@acting
async def register(
    session: CliSession,
    seal_key: Annotated[
        Path | None,
        typer.Option("--seal-key", help="Key file that orders are encrypted to; created if missing."),
    ] = None,
) -> None:
    """Register the wallet as a host. It can list machines after the market authority approves it."""
    market = session.signing
    file = seal_key or seal_key_file()
    if not file.exists():
        SealKey.generate().save(file)
    key = SealKey.load(file)
    sent = await market.host.register(key.public)
    host = str(find_host(market.address, market.program_id)[0])
    session.out.sent(
        sent,
        f"Host {host}, order key in {file}",
        host=host,
        authority=str(market.address),
        seal_key=key.public.hex(),
        seal_key_file=str(file),
    )


@acting
async def approve(
    session: CliSession,
    authority: Annotated[str, typer.Argument(metavar="WALLET", help="The host's wallet.")],
    subsidy: SubsidyBudget = "0",
    revoke: Annotated[bool, typer.Option("--revoke", help="Revoke the approval.")] = False,
) -> None:
    """Approve a host to list machines. Market authority only; on a local market its key is keys/authority.json."""
    budget = base_units(subsidy, (await session.payment_mint(MARKET_TOKEN)).decimals)
    text = f"{authority} may list machines."
    if revoke:
        budget = 0
        text = f"{authority} may no longer list machines."
    sent = await session.signing.host.approve(parse_address(authority), approved=not revoke, subsidy_budget=budget)
    session.out.sent(sent, text, authority=authority, approved=not revoke, subsidy_budget=budget)
