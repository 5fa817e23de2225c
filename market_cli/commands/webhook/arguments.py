"""Arguments and options that several commands take."""

from __future__ import annotations

from typing import Annotated

import typer

Id = Annotated[str, typer.Argument(help="As `list` shows it.")]
Types = Annotated[list[str] | None, typer.Option("--type", help="What it is told of, such as job.ended; default: all")]
Topics = Annotated[
    list[str] | None,
    typer.Option("--topic", help="Of whom, such as job:ID or host:ADDRESS; default: you, and every proposal"),
]
LowFunds = Annotated[
    list[str] | None, typer.Option(help="When a job's funds are low: 10m or 10% of its time left; default: 10m")
]
