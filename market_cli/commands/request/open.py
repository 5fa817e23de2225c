"""`gpu-market request open`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anchor_client.market import MachineWanted
from anchor_client.orders import DEFAULT_IMAGE
from anchor_client.tokens import MARKET_TOKEN
from market_cli.acting import acting
from market_cli.commands.request.render import parse_score, request_document, request_table
from market_cli.commands.request.show import follow_request
from market_cli.orders import order_parts
from market_cli.session import Session
from market_cli.units import micro_usd, parse_duration

MACHINE = "Machine"
PRICE = "Price"
ORDER = "What runs"
NO_HASH = bytes(32)


@acting
async def open_request(
    session: Session,
    gpu: Annotated[str, typer.Option("--gpu", help="Model, as `gpus` names it.", rich_help_panel=MACHINE)],
    duration: Annotated[str, typer.Option("--duration", help="How long: 1h, 90m, 7d, or seconds.")],
    max_price: Annotated[
        str, typer.Option("--max-price", help="Most that a machine-hour may cost, in dollars.", rich_help_panel=PRICE)
    ],
    count: Annotated[int, typer.Option("--count", min=1, help="GPUs in the machine.", rich_help_panel=MACHINE)] = 1,
    region: Annotated[
        list[str] | None,
        typer.Option("--region", help="Only there; may be given several times.", rich_help_panel=MACHINE),
    ] = None,
    near: Annotated[
        str | None,
        typer.Option(
            "--near", help="Of machines alike, the nearest to here.", rich_help_panel=MACHINE, show_default=False
        ),
    ] = None,
    min_score: Annotated[
        str, typer.Option("--min-score", help="Least reputation of the host, in percent.", rich_help_panel=MACHINE)
    ] = "0",
    kind: Annotated[
        str, typer.Option("--kind", help="on-demand, or reserved for 7, 30 or 90 days.", rich_help_panel=PRICE)
    ] = "on-demand",
    pay: Annotated[
        str, typer.Option("--pay", help="GPUM, USDC, SOL or a mint's address.", rich_help_panel=PRICE)
    ] = MARKET_TOKEN,
    deposit: Annotated[
        str | None,
        typer.Option(
            "--deposit",
            help="What to escrow, in that token; a tenth above the highest cost by itself.",
            rich_help_panel=PRICE,
            show_default=False,
        ),
    ] = None,
    valid_for: Annotated[str, typer.Option("--valid-for", help="How long to wait, at most 30d.")] = "1d",
    template: Annotated[
        str | None,
        typer.Option("--template", help="Start from a saved order.", rich_help_panel=ORDER, show_default=False),
    ] = None,
    image: Annotated[
        str | None, typer.Option("--image", help="Docker image.", rich_help_panel=ORDER, show_default=DEFAULT_IMAGE)
    ] = None,
    command: Annotated[
        str | None, typer.Option("--command", help="Shell text to run.", rich_help_panel=ORDER, show_default=False)
    ] = None,
    port: Annotated[
        list[str] | None,
        typer.Option("--port", help="Port to forward: 22/tcp, 8888/http. Up to 5.", rich_help_panel=ORDER),
    ] = None,
    env: Annotated[
        list[str] | None, typer.Option("--env", help="Environment variable: NAME=VALUE.", rich_help_panel=ORDER)
    ] = None,
    ssh_key: Annotated[
        Path | None,
        typer.Option("--ssh-key", help="File with your public key.", rich_help_panel=ORDER, show_default=False),
    ] = None,
    jupyter_token: Annotated[
        str | None,
        typer.Option(
            "--jupyter-token",
            help="JUPYTER_TOKEN of an image with Jupyter; forwards port 8888.",
            rich_help_panel=ORDER,
            show_default=False,
        ),
    ] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Return once a machine was found and runs.")] = False,
) -> None:
    """Escrow an order for whichever machine fits; a keeper matches it with the best idle one at that one's price.

    The order is handed to the host while this program watches: with --watch, or later with `request show ID --watch`.
    """
    market, currencies = session.ordering, await session.currencies()
    mint = currencies.payment_mint(pay).mint
    wanted = MachineWanted(
        gpu=gpu,
        duration=parse_duration(duration),
        pay=pay,
        max_usd=micro_usd(max_price),
        order_hash=NO_HASH,
        kind=kind,
        count=count,
        regions=tuple(region or ()),
        near=near,
        min_score_bps=parse_score(min_score),
        deposit=currencies.base_units(mint, deposit) if deposit is not None else None,
        valid_for=parse_duration(valid_for),
    )
    parts = order_parts(
        template,
        image=image,
        command=command,
        ports=port,
        env=env,
        ssh_key=ssh_key,
        jupyter_token=jupyter_token,
    )
    opened = await market.request(wanted, parts)
    session.out.show(
        request_document(opened, currencies), lambda console: console.print(request_table(opened, currencies))
    )
    if watch:
        await follow_request(session, opened.id)
