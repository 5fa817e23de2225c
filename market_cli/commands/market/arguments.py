"""Filters of listings that need the market's API."""

from __future__ import annotations

from typing import Annotated

import typer

Verified = Annotated[
    bool,
    typer.Option(
        "--verified",
        help="Only machines with at least an hour of paid use and no later report; needs the market's API.",
    ),
]
MinDriver = Annotated[
    str | None,
    typer.Option(
        "--min-driver", metavar="VERSION", help="Minimum driver version, as measured by the host.", show_default=False
    ),
]
MinTflops = Annotated[
    int | None, typer.Option("--min-tflops", min=0, help="Minimum FP32 of each GPU, as measured by the host.")
]
MinDisk = Annotated[
    int | None,
    typer.Option("--min-disk-mbps", min=0, help="Minimum disk write speed in MB/s, as measured by the host."),
]
MinNetwork = Annotated[
    int | None,
    typer.Option("--min-network-mbps", min=0, help="Minimum download speed in Mbit/s, as measured by the host."),
]
