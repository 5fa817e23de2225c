"""`gpu-market submit`."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from anchor_client.service.text_file import read_text, unreadable
from market_cli.acting import acting
from market_cli.errors import BadOption
from market_cli.lazy import load
from market_cli.session import CliSession
from market_cli.signing.signed_in import accounts, show_signed_in

if TYPE_CHECKING:
    from anchor_client.orders import SealedOrder
    from anchor_client.solana.transactions import Sent

NEXT: Final = "`gpu-market request show REQUEST --watch --unsigned WALLET` prints its order to sign."


@acting
async def submit(
    session: CliSession,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Signed output of --unsigned with --json.")],
) -> None:
    """Submit what a wallet elsewhere has signed: the order, then the transaction; waits until it has landed. Or an
    order alone, or a sign-in.
    """
    try:
        signed = load("market_cli.signing.signed_file:read_signed")(read_text(file))
    except (OSError, UnicodeDecodeError) as error:
        raise BadOption(f"{file} cannot be read: {unreadable(error)}", "Use another file.") from error
    except ValueError as error:
        raise BadOption(
            f"{file} is not the output of --unsigned with --json", "Save that output, and put the signatures in."
        ) from error
    if isinstance(signed, load("market_cli.signing.signed_file:SignInFile")):
        async with accounts(session) as api:
            show_signed_in(session, await api.signed_in(*signed.sign_in.signed()))
        return
    market = session.market
    if isinstance(signed, load("market_cli.signing.signed_file:SignedOrders")):
        orders = [each.order() for each in signed.orders]
        for order in orders:
            await session.post.deliver(order)
            market.session.waiting_documents.forget(order.order_hash)
        session.out.show({"orders": _hashes(orders)}, "The order is handed over.")
        return
    sender = market.session.sender
    read = load("anchor_client.solana.transactions.relay:signed_elsewhere")
    prepared = read(b64decode(signed.transaction), signed.last_valid_block_height, sender.program)
    orders = [each.order() for each in signed.orders]
    for order in orders:
        await session.post.deliver(order)
    sent = await sender.submit(prepared)
    await _name_rentals(session, orders, sent)
    opening = load("anchor_client.generated.events:RequestOpened")
    request = next((str(event.request) for event in sent.events if isinstance(event, opening)), None)
    text = f"Landed: {sent.signature}" + ("" if request is None else f"\nOnce request {request} is matched: {NEXT}")
    opened = {} if request is None else {"request": request}
    session.out.sent(sent, text, orders=_hashes(orders), **opened)


async def _name_rentals(session: CliSession, orders: Sequence[SealedOrder], sent: Sent) -> None:
    """Hands the orders over once more with the rentals that are open now: so they stay, however many others come."""
    market = session.market.session
    opened = load("anchor_client.generated.events:RentalOpened")
    rentals = {event.order_hash: event.rental for event in sent.events if isinstance(event, opened)}
    for order in orders:
        rental = rentals.get(order.order_hash)
        if rental is not None:
            market.open_orders[rental] = order.of_rental(rental)
            await load("anchor_client.market.rental.delivery:hand_over_again")(market, rental)


def _hashes(orders: Sequence[SealedOrder]) -> list[str]:
    return [order.order_hash.hex() for order in orders]
