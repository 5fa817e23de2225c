"""`python -m anchor_idl.codegen <step>`.

`generate` reads [tool.anchor-idl] of the pyproject.toml in the current folder; the other steps only their options.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from anchor_idl.codegen.complete import complete as complete_idl
from anchor_idl.codegen.errors import CodegenError
from anchor_idl.codegen.extract import extract as extract_idl
from anchor_idl.codegen.legacy import legacy as legacy_idl
from anchor_idl.codegen.output import Output, json_text
from anchor_idl.codegen.parse import parse_idl
from anchor_idl.codegen.project import load_project
from anchor_idl.codegen.python.package import package_files
from anchor_idl.codegen.rules import load_rules

IdlOption = Annotated[Path, typer.Option("--idl", help="The IDL to read.")]
OutOption = Annotated[Path, typer.Option("--out", help="Where to write.")]

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


@app.command()
def extract(program: Annotated[Path, typer.Option(help="The program's folder.")], out: OutOption) -> None:
    """Asks the program for its IDL; needs Cargo."""
    Output.file(out, json_text(extract_idl(program))).write()


@app.command()
def complete(idl: IdlOption, rules: Annotated[Path, typer.Option(help="The address rules.")], out: OutOption) -> None:
    """Adds the addresses that the macro leaves out."""
    Output.file(out, json_text(complete_idl(_load(idl), load_rules(rules)))).write()


@app.command()
def legacy(idl: IdlOption, out: OutOption) -> None:
    """Writes the pre-0.30 form."""
    Output.file(out, json_text(legacy_idl(_load(idl)))).write()


@app.command()
def python(idl: IdlOption, out: OutOption) -> None:
    """Writes the Python package; works for any IDL of Anchor 0.30 or later."""
    Output.folder(out, package_files(parse_idl(_load(idl)))).write()


@app.command()
def generate(
    from_idl: Annotated[bool, typer.Option("--from-idl", help="Start from the committed IDL: no Cargo.")] = False,
    check: Annotated[bool, typer.Option("--check", help="Only compare with what is on disk; exit 1.")] = False,
) -> None:
    """Does all steps."""
    project = load_project(Path("pyproject.toml"))
    idl = _load(project.idl) if from_idl else complete_idl(extract_idl(project.program), load_rules(project.rules))
    outputs = [
        Output.file(project.idl, json_text(idl)),
        Output.file(project.legacy, json_text(legacy_idl(idl))),
        Output.folder(project.package, package_files(parse_idl(idl))),
    ]
    if not check:
        for output in outputs:
            output.write()
        return
    differences = [line for output in outputs for line in output.differences()]
    for line in differences:
        typer.echo(line)
    if differences:
        typer.echo("The generated files are out of date; generate them again.")
        raise typer.Exit(1)


def _load(path: Path) -> dict[str, Any]:
    try:
        data: dict[str, Any] = json.loads(path.read_text())
    except (OSError, json.JSONDecodeError) as error:
        raise CodegenError(f"{path} cannot be read: {error}") from error
    return data


def main() -> None:
    """Runs a step; what the generator refuses is one line on stderr and exit 1."""
    try:
        app()
    except CodegenError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
