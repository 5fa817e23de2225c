"""Commands for saved orders."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from anchor_client.orders import TemplateDirectory
from market_cli.acting import acting
from market_cli.completion import complete_template
from market_cli.lazy import load
from market_cli.output import details, table
from market_cli.paths import template_directory
from market_cli.plain_text import theirs
from market_cli.session import CliSession

HIDDEN = "set"
Name = Annotated[str, typer.Argument(metavar="NAME", help="Name of the template.", autocompletion=complete_template)]


@acting
async def list_(session: CliSession) -> None:
    """Show your templates."""
    templates = TemplateDirectory(template_directory())
    found = {name: templates.load(name) for name in templates.names()}
    rows = table("template", "image", "command")
    for name, saved in found.items():
        rows.add_row(name, theirs(saved.image), theirs(saved.command or "—"))
    document = [{"name": name, "image": saved.image, "command": saved.command} for name, saved in found.items()]
    none = "No templates. Save one: [bold]gpu-market rent --save-template NAME[/]"
    session.out.rows(document, rows, none=none)


@acting
async def show(
    session: CliSession,
    name: Name,
    secrets: Annotated[
        bool, typer.Option("--secrets", help="Include the values of variables and the Jupyter token.")
    ] = False,
) -> None:
    """Show a template; possible secrets are hidden unless requested."""
    saved = TemplateDirectory(template_directory()).load(name)
    document = saved.parts()
    if not secrets:
        document["env"] = dict.fromkeys(saved.env, HIDDEN)
        document["jupyter_token"] = HIDDEN if saved.jupyter_token else None
    ports = ", ".join(f"{forward.port}/{forward.protocol}" for forward in saved.ports)
    lines = [
        ("template", name),
        ("image", theirs(saved.image)),
        ("command", theirs(saved.command or "the image's own")),
        ("ports", ports or "none"),
        ("env", theirs(", ".join(f"{key}={value}" for key, value in document["env"].items()) or "none")),
        ("ssh key", theirs(saved.ssh_key or "none")),
        ("jupyter token", theirs(document["jupyter_token"] or "none")),
        ("checkpoint", theirs(saved.checkpoint or "none")),
        ("workspace", f"kept as {saved.keep_workspace}" if saved.keep_workspace else "wiped at the end"),
    ]
    session.out.show({"name": name, **document}, details(*lines))


@acting
async def save(
    session: CliSession,
    name: Name,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Job file, such as one printed by `template share`.")],
) -> None:
    """Save the order of a job file as a template, without the file's machine and price."""
    job = load("market_cli.ordering.job_file:read_job_file")(file, workload_alone=True)
    workload = load("market_cli.commands.rental.run:workload_of")(job)
    path = TemplateDirectory(template_directory()).save(name, workload)
    session.out.show({"name": name, "file": str(path)}, f"Saved as {name}: [bold]--template {name}[/] starts from it.")


@acting
async def delete(session: CliSession, name: Name) -> None:
    """Delete a template."""
    TemplateDirectory(template_directory()).remove(name)
    session.out.show({"name": name, "deleted": True}, f"Deleted {name}.")


@acting
async def share(
    session: CliSession,
    name: Name,
    secrets: Annotated[
        bool, typer.Option("--secrets", help="Include the values of variables and the Jupyter token.")
    ] = False,
) -> None:
    """Print a template as a job file for others, without your keys, tokens and variable values."""
    saved = TemplateDirectory(template_directory()).load(name)
    text: str = load("market_cli.ordering.job_file:job_file_of")(saved, secrets=secrets)
    if session.out.as_json:
        session.out.show({"name": name, "job_file": text})
    else:
        print(text, end="", flush=True)
