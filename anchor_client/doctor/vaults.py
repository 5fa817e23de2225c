"""Holdings of vaults against their liabilities."""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator

from solders.token.state import TokenAccount, TokenAccountState

from anchor_client.doctor.context import Context
from anchor_client.doctor.finding import Finding, failure, ok, warning
from anchor_client.rules.vault import held as held_of

CHECK = "vaults"


async def check_vaults(context: Context) -> AsyncIterator[Finding]:
    """Checks that each vault covers its liabilities and is not frozen, and that no shard lacks its vault."""
    reads = context.market.reads
    vaults = await reads.vaults()
    chain = await reads.program.accounts([vault.token_account for vault in vaults.values()])
    tokens = await reads.tokens()
    covered = 0
    for (address, vault), account in zip(vaults.items(), chain, strict=True):
        name = f"vault {vault.shard} of {tokens.symbol(vault.mint)} ({address})"
        if account is None:
            yield failure(CHECK, f"{name} has no token account", "Pause orders: `gpu-market pause orders`.")
            continue
        held = TokenAccount.from_bytes(account.data)
        owed = held_of(vault)
        if held.amount < owed:
            text = f"{name} holds {held.amount} base units and owes {owed}"
            yield failure(
                CHECK, text, "Pause orders now (`gpu-market pause orders`), and find out where the tokens went."
            )
        elif held.state == TokenAccountState.Frozen:
            yield failure(CHECK, f"{name} is frozen", "Ask the token's issuer; disable the mint for new orders.")
        else:
            covered += 1
    if covered:
        yield ok(CHECK, f"{covered} vaults hold at least what they owe")
    there = Counter(vault.mint for vault in vaults.values())
    for mint in (await reads.payment_mints()).values():
        if there[mint.mint] < mint.shards:
            text = f"{tokens.symbol(mint.mint)} has {there[mint.mint]} of {mint.shards} vaults"
            yield warning(CHECK, text, "Add the others: `gpu-market deploy market.toml` again.")
