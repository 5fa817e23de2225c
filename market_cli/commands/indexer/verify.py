"""`gpu-market indexer verify`."""

from __future__ import annotations

from dataclasses import asdict

import typer

from indexer.index.proof.maintenance import verify as check
from indexer.index.proof.supply import MintSupply
from market_cli.acting import acting
from market_cli.commands.indexer.arguments import IndexSettings
from market_cli.commands.indexer.database import opened
from market_cli.output import table
from market_cli.session import CliSession


@acting
async def verify(session: CliSession, settings: IndexSettings) -> None:
    """Update the index and compare every vault and the market token's supply with the chain.

    Exits with 1 if anything differs, is missing or could not be read. A difference counts once two checks have found
    it. Without a mint authority, the supply can be at most the initial supply minus the vaults' burns. Others' burns
    and mints are only shown, since the supply does not show whose tokens changed.
    """
    async with opened(settings) as engine:
        session.out.note("Reading the chain …")
        found = await check(settings, engine)
    rows = table("mint", "vaults", "held", "burned", numbers=("vaults", "held", "burned"))
    for mint in found.mints:
        rows.add_row(mint.mint, str(mint.vaults), f"{mint.held:,}", f"{mint.burned:,}")
    problems = found.problems
    session.out.show(
        {
            "slot": found.slot,
            "agrees": not problems,
            "problems": problems,
            "mints": [asdict(one) for one in found.mints],
            "supplies": [asdict(one) | {"elsewhere": one.elsewhere} for one in found.supplies],
        },
        rows,
        *map(_said, found.supplies),
        "\n".join(problems) or f"The index agrees with the chain at slot {found.slot}.",
    )
    if problems:
        raise typer.Exit(1)


def _said(supply: MintSupply) -> str:
    amount = abs(supply.elsewhere)
    what = "burned by others" if supply.elsewhere >= 0 else "minted since"
    proof = "the mint has a mint authority, so this proves nothing"
    if supply.fixed:
        proof = "within the maximum"
    verdict = "above the maximum" if supply.difference else proof
    return (
        f"{supply.mint}: {supply.baseline:,} when added, {supply.burned:,} burned here, {amount:,} {what}, "
        f"{supply.supply:,} left: {verdict}."
    )
