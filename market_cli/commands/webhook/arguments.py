"""Arguments and options that several commands take."""

from __future__ import annotations

from typing import Annotated

import typer

Types = Annotated[list[str] | None, typer.Option("--type", help="Type of notice, such as job.ended; default: all")]
Topics = Annotated[
    list[str] | None,
    typer.Option("--topic", help="Topic, such as job:ID or host:ADDRESS; default: your wallet, and every proposal"),
]
LowFunds = Annotated[
    list[str] | None, typer.Option(help="Threshold of a job's low funds: 10m, or 10% of its time; default: 10m")
]
