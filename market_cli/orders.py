"""Orders from the flags of a command."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from anchor_client.orders import DEFAULT_IMAGE, PortForward, TemplateDirectory, Workload
from market_cli.completion import complete_template
from market_cli.env_file import read_env_file
from market_cli.errors import BadOption
from market_cli.paths import template_directory

PANEL = "Workload"
NOTEBOOK_IMAGE = "quay.io/jupyter/pytorch-notebook:cuda12-latest"
"""Starts Jupyter at port 8888 on all addresses, with the token of JUPYTER_TOKEN."""
TOKEN_BYTES = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderOptions:
    """The options that describe an order, of every command that places one."""

    template: Annotated[
        str | None,
        typer.Option(
            "--template",
            help="Start from this saved order.",
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
            help="File of environment variables, NAME=VALUE on each line; --env wins.",
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
            help="Jupyter for `gpu-market notebook`, with a token made for it; default image: one that has it.",
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
            help="Have the host keep /workspace, encrypted, under this name for your later rentals of its machines.",
            rich_help_panel=PANEL,
            show_default=False,
        ),
    ] = None


def order_parts(options: OrderOptions, save_as: str | None = None) -> Workload:
    """A saved order with what the flags say in its place, saved again if it is named. InvalidOrder, TemplateMissing."""
    templates = TemplateDirectory(template_directory())
    saved = templates.load(options.template) if options.template is not None else Workload()
    given = {
        "image": options.image,
        "command": options.command,
        "ports": None if options.port is None else tuple(PortForward.parse(text) for text in options.port),
        "env": _variables(options),
        "ssh_key": None if options.ssh_key is None else _public_key(options.ssh_key),
        "jupyter_token": options.jupyter_token,
        "checkpoint": options.checkpoint,
        "keep_workspace": options.keep_workspace,
    }
    base = saved.model_dump()
    if options.notebook:
        base["jupyter_token"] = saved.jupyter_token or secrets.token_urlsafe(TOKEN_BYTES)
        base["image"] = NOTEBOOK_IMAGE if options.template is None else saved.image
    parts = Workload.of(**base | {name: value for name, value in given.items() if value is not None})
    if save_as is not None:
        templates.save(save_as, parts)
    return parts


def _variables(options: OrderOptions) -> dict[str, str] | None:
    """Those of the file and of the command line; None if there are neither. BadJobFile, BadOption."""
    if options.env is None and options.env_file is None:
        return None
    of_file = {} if options.env_file is None else read_env_file(options.env_file)
    return of_file | dict(_variable(text) for text in options.env or ())


def _variable(text: str) -> tuple[str, str]:
    name, separator, value = text.partition("=")
    if not separator:
        raise BadOption(f"{text!r} is not an environment variable", "Write --env NAME=VALUE.")
    return name, value


def _public_key(path: Path) -> str:
    try:
        return path.expanduser().read_text("utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise BadOption(f"The SSH key {path} cannot be read", "Name the file of your public key.") from error
