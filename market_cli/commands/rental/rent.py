"""`gpu-market rent`."""

from __future__ import annotations

from typing import Annotated

import typer

from market_cli.acting import acting
from market_cli.commands.rental.renting import check, place, show_quote
from market_cli.ordering.order_options import PANEL, OrderOptions
from market_cli.ordering.orders import order_parts
from market_cli.ordering.rental_options import RentalOptions
from market_cli.session import CliSession


@acting
async def rent(
    session: CliSession,
    rental: RentalOptions,
    order: OrderOptions,
    *,
    save_template: Annotated[
        str | None,
        typer.Option(
            "--save-template", help="Save the order as a template.", rich_help_panel=PANEL, show_default=False
        ),
    ] = None,
    or_least: Annotated[
        bool,
        typer.Option("--or-least", help="If the market takes no order so short, rent for the shortest time it takes."),
    ] = False,
    quote: Annotated[
        bool,
        typer.Option(
            "--quote", help="Only show what the time costs on the machine, by kind and token, cheapest first."
        ),
    ] = False,
) -> None:
    """Rent the cheapest matching machine for a fixed time, in one transaction.

    The full cost is escrowed; `gpu-market stop` refunds the unused part.
    """
    check(rental)
    if quote:
        await show_quote(session, rental)
        return
    says_what = order != OrderOptions() or save_template is not None
    await place(session, rental, order_parts(order, save_template) if says_what else None, or_least=or_least)
