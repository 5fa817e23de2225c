"""Orders from the flags of a command."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from anchor_client.orders import PortForward, TemplateDirectory, Workload
from market_cli.errors import BadOption
from market_cli.paths import template_directory


def order_parts(
    template: str | None = None,
    *,
    image: str | None = None,
    command: str | None = None,
    ports: Sequence[str] | None = None,
    env: Sequence[str] | None = None,
    ssh_key: Path | None = None,
    jupyter_token: str | None = None,
    save_as: str | None = None,
) -> Workload:
    """A saved order with what the flags say in its place, saved again if it is named. InvalidOrder, TemplateMissing."""
    templates = TemplateDirectory(template_directory())
    saved = templates.load(template) if template is not None else Workload()
    given = {
        "image": image,
        "command": command,
        "ports": None if ports is None else tuple(PortForward.parse(text) for text in ports),
        "env": None if env is None else dict(_variable(text) for text in env),
        "ssh_key": None if ssh_key is None else _public_key(ssh_key),
        "jupyter_token": jupyter_token,
    }
    parts = Workload.of(**saved.model_dump() | {name: value for name, value in given.items() if value is not None})
    if save_as is not None:
        templates.save(save_as, parts)
    return parts


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
