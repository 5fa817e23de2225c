"""`gpu-market governance propose points`."""

from __future__ import annotations

from typing import Annotated

import typer

from anchor_client.generated.types import ActionSetGpuPoints
from anchor_client.rules.catalog import MODEL_NUMBERS, find_gpu
from market_cli.acting import acting
from market_cli.commands.governance.arguments import Title
from market_cli.commands.governance.propose.proposing import propose
from market_cli.errors import BadOption
from market_cli.session import Session

MAX_POINTS = 2**16 - 1


@acting
async def points(
    session: Session,
    gpu: Annotated[str, typer.Argument(help="GPU model id, such as nvidia-h100-sxm5-80gb, or its number.")],
    value: Annotated[int, typer.Argument(metavar="POINTS", help="Points per GPU.", min=0, max=MAX_POINTS)],
    title: Title = "",
) -> None:
    """Set a model's GPU points, which decide how much hosts lock to reduce the extra fee."""
    await propose(session, ActionSetGpuPoints(_number(gpu), value), title)


def _number(gpu: str) -> int:
    """The model's number; one that no slug has yet may be given as it is. UnknownGpu."""
    if not gpu.isdecimal():
        return find_gpu(gpu).id
    number = int(gpu)
    if number >= MODEL_NUMBERS:
        raise BadOption(f"{gpu} is not a model of the catalog", f"Numbers are below {MODEL_NUMBERS}.")
    return number
