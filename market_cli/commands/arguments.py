"""Arguments and options that several commands take."""

from __future__ import annotations

import re
from typing import Annotated

import typer

from market_cli.completion import complete_gpu, complete_job, complete_listing
from market_cli.lazy import load

MACHINE = "Machine"
PRICE = "Price"


def whole_row_id(text: str) -> str:
    """An id that the market's API has made, or BadOption before anything is sent."""
    if re.fullmatch(r"[0-9a-f]{32}", text) is None:
        remedy = "Copy one from the same command's `list`: 32 digits and letters from a to f."
        raise load("market_cli.errors:BadOption")(f"{text!r} is not an id", remedy)
    return text


RowId = Annotated[str, typer.Argument(help="Id, as in `list`.", callback=whole_row_id, show_default=False)]
JobId = Annotated[
    str,
    typer.Argument(
        metavar="JOB",
        help="Job: its id or a prefix of it, its name, or @last.",
        autocompletion=complete_job,
        show_default=False,
    ),
]
ListingAddress = Annotated[
    str, typer.Argument(help="Listing: its id, or a prefix of it.", autocompletion=complete_listing)
]
Amount = Annotated[str, typer.Argument(help="Amount of market tokens, such as 2500 or 0.5.")]
SubsidyBudget = Annotated[
    str,
    typer.Option(
        "--subsidy",
        help="Maximum in market tokens that orders of its machines may draw from the subsidy pool in a UTC day.",
    ),
]
Owner = Annotated[str | None, typer.Argument(help="Wallet address; default: yours.", show_default=False)]
Renter = Annotated[str | None, typer.Option("--renter", help="Wallet address; default: yours.", show_default=False)]
HostWallet = Annotated[
    str | None, typer.Argument(metavar="[WALLET]", help="Host wallet; default: yours.", show_default=False)
]

Gpu = Annotated[
    str,
    typer.Option(
        "--gpu", help="GPU model id, as listed by `gpus`.", autocompletion=complete_gpu, rich_help_panel=MACHINE
    ),
]
Duration = Annotated[str, typer.Option("--duration", help="Rental duration: 1h, 90m, 7d, or seconds.")]
Pay = Annotated[
    str, typer.Option("--pay", help="Payment token: GPUM, USDC, SOL or a mint address.", rich_help_panel=PRICE)
]


def require_http(url: str | None) -> None:
    """Raises BadOption unless the text is an http(s) URL."""
    if url is not None and not url.startswith(("http://", "https://")):
        raise load("market_cli.errors:BadOption")(
            f"{url!r} is not an http(s) URL", "Start it with http:// or https://."
        )
