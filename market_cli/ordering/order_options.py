"""The options that describe an order."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from anchor_client.orders import DEFAULT_IMAGE
from market_cli.completion import complete_template

PANEL = "Workload"


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderOptions:
    """The options that describe an order, for every command that places one."""

    template: Annotated[
        str | None,
        typer.Option(
            "--template",
            help="Start from this template.",
            autocompletion=complete_template,
            rich_help_panel=PANEL,
            show_default=False,
        ),
    ] = None
    image: Annotated[
        str | None, typer.Option("--image", help="Docker image.", rich_help_panel=PANEL, show_default=DEFAULT_IMAGE)
    ] = None
    command: Annotated[
        str | None, typer.Option("--command", help="Shell command to run.", rich_help_panel=PANEL, show_default=False)
    ] = None
    port: Annotated[
        list[str] | None,
        typer.Option("--port", help="Port to forward, such as 22/tcp or 8888/http; up to 5.", rich_help_panel=PANEL),
    ] = None
    env: Annotated[
        list[str] | None, typer.Option("--env", help="Environment variable: NAME=VALUE.", rich_help_panel=PANEL)
    ] = None
    env_file: Annotated[
        Path | None,
        typer.Option(
            "--env-file",
            metavar="FILE",
            help="File of environment variables, NAME=VALUE on each line; --env overrides it.",
            rich_help_panel=PANEL,
            show_default=False,
        ),
    ] = None
    ssh_key: Annotated[
        Path | None,
        typer.Option("--ssh-key", help="Your SSH public key file.", rich_help_panel=PANEL, show_default=False),
    ] = None
    notebook: Annotated[
        bool,
        typer.Option(
            "--notebook",
            help="Run Jupyter for `gpu-market notebook`, with a generated token; the default image includes it.",
            rich_help_panel=PANEL,
        ),
    ] = False
    jupyter_token: Annotated[
        str | None,
        typer.Option(
            "--jupyter-token",
            help="Set JUPYTER_TOKEN and forward port 8888.",
            rich_help_panel=PANEL,
            show_default=False,
        ),
    ] = None
    checkpoint: Annotated[
        str | None,
        typer.Option(
            "--checkpoint",
            metavar="CMD",
            help="Shell command run in the container before another order takes the machine, or the job has ended.",
            rich_help_panel=PANEL,
            show_default=False,
        ),
    ] = None
    keep_workspace: Annotated[
        str | None,
        typer.Option(
            "--keep-workspace",
            metavar="NAME",
            help="Keep /workspace on the host, encrypted, under this name for your later rentals of its machines.",
            rich_help_panel=PANEL,
            show_default=False,
        ),
    ] = None
