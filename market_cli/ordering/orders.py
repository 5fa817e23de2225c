"""Orders from the flags of a command."""

from __future__ import annotations

import secrets
from pathlib import Path

from anchor_client import orders
from anchor_client.orders.public_key import read_public_key
from anchor_client.service.optional import optional
from anchor_client.service.text_file import read_text, unreadable
from market_cli.errors import BadOption
from market_cli.ordering.env_file import read_env_file
from market_cli.ordering.order_options import OrderOptions
from market_cli.paths import template_directory

NOTEBOOK_IMAGE = "quay.io/jupyter/pytorch-notebook:cuda12-latest"
"""Starts Jupyter on port 8888 of all addresses, with the token of JUPYTER_TOKEN."""
TOKEN_BYTES = 24
REMEDY = "Give the file of your public key, such as ~/.ssh/id_ed25519.pub."


def order_parts(options: OrderOptions, save_as: str | None = None) -> orders.Workload:
    """A saved order overridden by the flags, and saved again if a name is given. InvalidOrder, TemplateMissing."""
    templates = orders.TemplateDirectory(template_directory())
    if options.template is not None:
        saved = templates.load(options.template)
    else:
        saved = orders.Workload()
    given = {
        "image": options.image,
        "command": options.command,
        "ports": None if options.port is None else tuple(orders.PortForward.parse(text) for text in options.port),
        "env": _variables(options),
        "ssh_key": optional(_public_key, options.ssh_key),
        "jupyter_token": options.jupyter_token,
        "checkpoint": options.checkpoint,
        "keep_workspace": options.keep_workspace,
    }
    base: dict[str, object] = {}
    if options.notebook:
        base["jupyter_token"] = saved.jupyter_token or secrets.token_urlsafe(TOKEN_BYTES)
        base["image"] = NOTEBOOK_IMAGE if options.template is None else saved.image
    parts = saved.changed(**base | {name: value for name, value in given.items() if value is not None})
    if save_as is not None:
        templates.save(save_as, parts)
    return parts


def _variables(options: OrderOptions) -> dict[str, str] | None:
    """Variables of the file and the command line; None without any. BadJobFile, BadOption."""
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
        return read_public_key(read_text(path))
    except (OSError, UnicodeDecodeError) as error:
        raise BadOption(f"The SSH key {path} cannot be read: {unreadable(error)}", REMEDY) from error
    except ValueError as error:
        raise BadOption(f"The SSH key {path} lets nobody in: {error}", REMEDY) from error
