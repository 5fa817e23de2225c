"""Proposals about payment mints, rewards and the treasury."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from solders.pubkey import Pubkey

from anchor_client.errors import UnknownPaymentToken, refusal
from anchor_client.generated import errors as refusals
from anchor_client.generated.constants import MAX_SHARDS
from anchor_client.generated.pdas import find_payment_mint
from anchor_client.generated.types import (
    Action,
    ActionAddPaymentMint,
    ActionAddRewardMint,
    ActionTreasuryTransfer,
    ActionUpdatePaymentMint,
    ActionWithdrawUnreserved,
    OracleKind,
)
from anchor_client.generated.types import PaymentMintTerms as Terms
from anchor_client.rules.stake_pool import is_full, reward_mints
from anchor_client.solana.wallet import parse_address
from market_cli.acting import acting
from market_cli.commands.governance.arguments import Title
from market_cli.commands.governance.propose.proposing import propose
from market_cli.errors import BadOption
from market_cli.session import CliSession
from market_cli.units import base_units

Token = Annotated[str, typer.Argument(metavar="MINT", help="Symbol or mint address.")]


@acting
async def mint(
    session: CliSession,
    token: Token,
    terms: Annotated[
        Path, typer.Option("--terms", help="JSON file with the terms, as printed by `governance show --json`.")
    ],
    title: Title = "",
) -> None:
    """Accept payments in a mint, or change its terms for new orders."""
    address = (await session.market.reads.tokens()).mint(token)
    await propose(session, await _action(session, address, _read(terms)), title)


@acting
async def rewards(session: CliSession, token: Token, title: Title = "") -> None:
    """Let stakers earn rewards in another mint."""
    reads = session.market.reads
    mint = (await reads.tokens()).mint(token)
    pool = await reads.pool()
    if mint in reward_mints(pool):
        raise refusal(refusals.RewardMintExists.code, token)
    if is_full(pool):
        raise refusal(refusals.TooManyRewardMints.code)
    await propose(session, ActionAddRewardMint(mint), title)


@acting
async def transfer(
    session: CliSession,
    amount: Annotated[str, typer.Argument(help="Amount of tokens, such as 1250.5.")],
    token: Annotated[str, typer.Argument(help="Symbol or mint address.")],
    to: Annotated[str, typer.Argument(metavar="WALLET", help="Recipient.")],
    title: Title = "",
) -> None:
    """Pay out of the treasury."""
    paid = await session.payment_mint(token)
    recipient = parse_address(to)
    await propose(session, ActionTreasuryTransfer(paid.mint, recipient, base_units(amount, paid.decimals)), title)


@acting
async def withdraw(
    session: CliSession,
    amount: Annotated[str, typer.Argument(help="Amount of tokens, such as 1250.5.")],
    token: Annotated[str, typer.Argument(help="Symbol or mint address.")],
    shard: Annotated[int, typer.Option("--shard", help="Number of the vault.", min=0, max=MAX_SHARDS - 1)] = 0,
    title: Title = "",
) -> None:
    """Withdraw a vault's unreserved tokens: those sent to it directly, then unreserved subsidy."""
    held = await session.payment_mint(token)
    await session.market.reads.vault(held.mint, shard)
    await propose(session, ActionWithdrawUnreserved(held.mint, shard, base_units(amount, held.decimals)), title)


async def _action(session: CliSession, address: Pubkey, terms: Terms) -> Action:
    try:
        await session.market.reads.payment_mint(address)
    except UnknownPaymentToken:
        return ActionAddPaymentMint(address, terms)
    return ActionUpdatePaymentMint(find_payment_mint(address, session.settings.program_id)[0], terms)


def _read(path: Path) -> Terms:
    names = ", ".join(Terms.LAYOUT.layouts)
    try:
        values: dict[str, Any] = json.loads(path.read_text())
        kind = OracleKind[str(values.pop("oracle_kind")).upper()]
        oracle = parse_address(values.pop("oracle"))
        terms = Terms(oracle_kind=kind, oracle=oracle, **values)
        terms.encode()
    except OSError as error:
        raise BadOption(f"{path} cannot be read: {error.strerror}", "Check the path.") from error
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise BadOption(f"{path} does not contain the terms of a mint: {error}", f"It needs {names}.") from error
    return terms
