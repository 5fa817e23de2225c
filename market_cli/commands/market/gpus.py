"""`gpu-market gpus`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer

from anchor_client.amounts import tokens, usd
from anchor_client.resources.rate import OrderRate, find_rate
from anchor_client.rules.catalog import ALL_GPU_MODELS
from anchor_client.rules.gpu_model import GpuModel
from anchor_client.symbols import MARKET_TOKEN
from market_cli.acting import acting
from market_cli.commands.arguments import Pay
from market_cli.commands.market.from_api import told_by_api
from market_cli.commands.market.render import said_price
from market_cli.output import table
from market_cli.session import CliSession


@acting
async def gpus(
    session: CliSession,
    *,
    every: Annotated[bool, typer.Option("--all", help="Every named model, without reading the market.")] = False,
    pay: Pay = MARKET_TOKEN,
    verified: Annotated[
        bool,
        typer.Option(
            "--verified",
            help="Only machines with at least an hour of paid use and no later report; needs the market's API.",
        ),
    ] = False,
) -> None:
    """Show GPU models with availability and the least that an order pays an hour: those of a new market and all listed
    ones.
    """
    if every:
        _show_models(session, ALL_GPU_MODELS)
        return
    told = None
    if verified:
        told = await told_by_api(session, {"verified": "true"})
    found = await session.market.gpus(told)
    mint = (await session.payment_mint(pay)).mint
    rows = table(
        "gpu", "id", "VRAM", "available", "$/h before fees", f"$/h in {pay}", f"{pay}/h", numbers=("available",)
    )
    for gpu in found:
        price = "—"
        paid = None
        if gpu.available and gpu.market_rate is not None:
            price = usd(gpu.market_rate.micro_usd_per_hour)
            paid = find_rate(gpu.rates, mint)
        rows.add_row(
            gpu.name,
            gpu.id,
            _vram(gpu.vram_gb, gpu.memory),
            f"{gpu.available}/{gpu.listed}",
            price,
            said_price(paid),
            _units(paid),
        )
    session.out.show(found, rows)


def _units(paid: OrderRate | None) -> str:
    if paid is None or paid.base_units_per_hour is None:
        return "—"
    return tokens(paid.base_units_per_hour, paid.decimals)


def _show_models(session: CliSession, models: Sequence[GpuModel]) -> None:
    rows = table("id", "gpu", "architecture", "VRAM", "FP32", "TDP", numbers=("FP32", "TDP"))
    for model in models:
        rows.add_row(
            model.slug,
            model.name,
            model.architecture,
            _vram(model.vram_gb, model.memory),
            f"{model.fp32_tflops:g} TFLOPS" if model.fp32_tflops else "—",
            f"{model.tdp_watts} W" if model.tdp_watts else "—",
        )
    documents = [
        {
            "id": model.slug,
            "number": model.id,
            "name": model.name,
            "architecture": model.architecture,
            "vram_gb": model.vram_gb or None,
            "memory": model.memory or None,
            "fp32_tflops": model.fp32_tflops or None,
            "tensor_tflops": model.tensor_tflops or None,
            "tdp_watts": model.tdp_watts or None,
            "pci": [str(one) for one in model.pci],
        }
        for model in models
    ]
    session.out.show(documents, rows)


def _vram(gb: int, memory: str) -> str:
    return f"{gb} GB {memory}".rstrip() if gb else "—"
