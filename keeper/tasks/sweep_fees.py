"""Divides the fees that wait in vaults and moves the stakers' share to their rewards: anyone may, for nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.generated import instructions as build
from anchor_client.generated.accounts import Market, StakePool, Vault
from anchor_client.rules.math import share_floor
from anchor_client.tokens import associated_token, create_associated_token


@dataclass(frozen=True, slots=True)
class DueSweep:
    """A vault with something to sweep: its fees, and afterwards the stakers' share."""

    vault: Pubkey
    data: Vault
    has_fees: bool
    for_stakers: bool


def find_due(vaults: Mapping[Pubkey, Vault], market: Market, pool: StakePool | None) -> list[DueSweep]:
    """The vaults to sweep; the stakers' share moves only in mints that the pool pays rewards in."""
    paid = set() if pool is None else {stream.mint for stream in pool.rewards[: pool.streams]}
    found = []
    for address, vault in sorted(vaults.items(), key=lambda item: bytes(item[0])):
        share = vault.stakers_due + share_floor(vault.fees_due, market.fee_stakers_bps)
        sweep = DueSweep(address, vault, vault.fees_due > 0, share > 0 and vault.mint in paid)
        if sweep.has_fees or sweep.for_stakers:
            found.append(sweep)
    return found


def instructions_of(sweep: DueSweep, market: Market, payer: Pubkey, program_id: Pubkey) -> list[Instruction]:
    """What sweeps one vault, with the treasury's token account made if it is missing."""
    acts = []
    if sweep.has_fees:
        mint = sweep.data.mint
        acts += [
            create_associated_token(payer, market.treasury, mint),
            build.sweep_fees(
                caller=payer,
                vault=sweep.vault,
                vault_data=sweep.data,
                treasury_token=associated_token(market.treasury, mint),
                program_id=program_id,
            ),
        ]
    if sweep.for_stakers:
        acts.append(build.sweep_stakers(caller=payer, vault=sweep.vault, vault_data=sweep.data, program_id=program_id))
    return acts
