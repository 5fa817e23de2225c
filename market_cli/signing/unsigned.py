"""`--unsigned`: a command's transaction, and the order before it, for a wallet whose key is elsewhere."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Awaitable, Mapping, Sequence
from typing import Any

from solders.instruction import Instruction
from solders.pubkey import Pubkey

from anchor_client.market.drafting import Drafted, signed_by
from anchor_client.orders.delivery import UnsignedOrder
from anchor_client.service.optional import optional
from anchor_client.signed_text import envelope
from anchor_client.solana.transactions import UnsignedTransaction
from market_cli.session import CliSession

EXPLAINED = "Sign and send it with the wallet's own tool, which inserts a fresh blockhash if this one has expired."
BOTH_EXPLAINED = (
    "Save the output of --json, sign both there (the transaction in place, the message as `signature` of the order), "
    "and hand them over: `gpu-market submit FILE`. A hardware wallet signs `off_chain_message` for the message, or its "
    "text by `solana sign-offchain-message`."
)
ORDER_EXPLAINED = (
    "Save the output of --json, put the signature in as `signature` of the order, and hand it over: "
    "`gpu-market submit FILE`. A hardware wallet signs `off_chain_message`, or the text by "
    "`solana sign-offchain-message`."
)
SIGN_IN_EXPLAINED = (
    "Save the output of --json, put the signature in as `signature`, and hand it over: `gpu-market submit FILE`. "
    "A hardware wallet signs `off_chain_message`, or the text by `solana sign-offchain-message`."
)


async def print_unsigned(session: CliSession, command: Awaitable[None]) -> None:
    """Prints the first transaction of a command with the orders to hand over before it, an order that is handed over
    alone, or the command's own output if it sends none. WrongWallet if another key must sign as well, and errors of
    the simulation.
    """
    try:
        await command
    except Drafted as draft:
        assert session.elsewhere is not None
        if draft.orders and not draft.instructions:
            session.out.show({"orders": [order_document(order) for order in draft.orders]}, *order_rows(draft.orders))
            return
        made = await prepared(session, session.elsewhere, signed_by(session.elsewhere, draft.instructions))
        orders = {"orders": [order_document(order) for order in draft.orders]} if draft.orders else {}
        session.out.show({**document_of(made), **orders}, *rows_of(made, draft.orders))


def print_sign_in(session: CliSession, wallet: Pubkey, text: bytes) -> None:
    """Prints the text to sign in with."""
    document = {"sign_in": {"wallet": str(wallet), **message_document(text, wallet)}}
    rows = [f"For {wallet} to sign, within five minutes:", "", text.decode(), "", SIGN_IN_EXPLAINED]
    session.out.show(document, *rows)


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


def order_document(order: UnsignedOrder) -> Mapping[str, Any]:
    """An order as --json prints it, with room for the signature."""
    return {
        "renter": str(order.renter),
        "order_hash": order.order_hash.hex(),
        "sealed": b64encode(order.sealed).decode(),
        "signed_at": order.signed_at,
        "rental": optional(str, order.rental),
        **message_document(order.message, order.renter),
    }


def message_document(text: bytes, wallet: Pubkey) -> Mapping[str, Any]:
    """A text for the wallet to sign, plain or as an off-chain message, and room for the signature."""
    return {
        "message": text.decode(),
        "off_chain_message": b64encode(envelope(text, wallet)).decode(),
        "signature": None,
    }


def rows_of(made: UnsignedTransaction, orders: Sequence[UnsignedOrder] = ()) -> list[str]:
    """The same as text."""
    rows = [f"For {' and '.join(map(str, made.signers))} to sign, in base64:", "", made.base64, ""]
    for order in orders:
        rows += [
            "And as a message, within an hour, for the order to be handed over first:",
            "",
            order.message.decode(),
            "",
        ]
    return [*rows, BOTH_EXPLAINED if orders else EXPLAINED]


def order_rows(orders: Sequence[UnsignedOrder]) -> list[str]:
    """Orders that no transaction follows, as text."""
    rows = []
    for order in orders:
        rows += [f"For {order.renter} to sign, within an hour:", "", order.message.decode(), ""]
    return [*rows, ORDER_EXPLAINED]
