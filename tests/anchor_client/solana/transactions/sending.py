"""Payments that tests send, and a sender's timing for them."""

from __future__ import annotations

from solders.instruction import Instruction
from solders.keypair import Keypair
from solders.pubkey import Pubkey
from solders.system_program import TransferParams, transfer

from anchor_client.solana.transactions.confirmation import Timing

QUICK = Timing(poll=0.05, rebroadcast=0.2, patience=1.0)
LAMPORTS = 1_000_000


def payment(payer: Keypair, to: Pubkey, lamports: int = LAMPORTS) -> Instruction:
    """SOL from one wallet to another."""
    return transfer(TransferParams(from_pubkey=payer.pubkey(), to_pubkey=to, lamports=lamports))
