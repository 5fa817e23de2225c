"""`--unsigned`: a command's transaction, for a wallet whose key is elsewhere."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import Any

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.market.drafting import Drafted, signed_by
from anchor_client.solana.transactions import UnsignedTransaction
from market_cli.session import CliSession

EXPLAINED = "Sign and send it with the wallet's own tool, which inserts a fresh blockhash if this one has expired."


async def print_unsigned(session: CliSession, command: Awaitable[None]) -> None:
    """Prints the first transaction of a command, or the command's own output if it sends none. WrongWallet if another
    key must sign as well, and errors of the simulation.
    """
    try:
        await command
    except Drafted as draft:
        assert session.elsewhere is not None
        made = await prepared(session, session.elsewhere, signed_by(session.elsewhere, draft.instructions))
        session.out.show(document_of(made), *rows_of(made))


async def prepared(session: CliSession, wallet: Pubkey, instructions: Sequence[Instruction]) -> UnsignedTransaction:
    """A simulated transaction that `wallet` pays and signs. Raises the error of a failing simulation."""
    return await session.market.session.sender.unsigned(instructions, wallet)


def document_of(made: UnsignedTransaction) -> Mapping[str, Any]:
    """A transaction as --json prints it."""
    return {
        "transaction": made.base64,
        "signers": [str(signer) for signer in made.signers],
        "fee_lamports": str(made.fee),
        "last_valid_block_height": made.last_valid_block_height,
    }


def rows_of(made: UnsignedTransaction) -> list[str]:
    """The same as text."""
    return [f"For {' and '.join(map(str, made.signers))} to sign, in base64:", "", made.base64, "", EXPLAINED]
