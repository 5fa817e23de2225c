"""Options that tell listings apart by what only the market's API knows."""

from __future__ import annotations

from typing import Annotated

import typer

Verified = Annotated[
    bool,
    typer.Option(
        "--verified",
        help="Only machines that renters have paid for an hour of without reporting them; asks the market's API.",
    ),
]
MinDriver = Annotated[
    str | None,
    typer.Option("--min-driver", metavar="VERSION", help="Least driver, as the host measured.", show_default=False),
]
MinTflops = Annotated[
    int | None, typer.Option("--min-tflops", min=0, help="Least FP32 of each GPU, as the host measured.")
]
MinDisk = Annotated[
    int | None, typer.Option("--min-disk-mbps", min=0, help="Least MB/s written to disk, as the host measured.")
]
MinNetwork = Annotated[
    int | None, typer.Option("--min-network-mbps", min=0, help="Least Mbit/s downloaded, as the host measured.")
]
