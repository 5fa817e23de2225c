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
from anchor_idl.codegen.output import GeneratedOutput, json_text
from anchor_idl.codegen.parse import parse_idl
from anchor_idl.codegen.project import load_project
from anchor_idl.codegen.python.package import package_files
from anchor_idl.codegen.rules import load_rules

IdlOption = Annotated[Path, typer.Option("--idl", help="The IDL to read.")]
OutOption = Annotated[Path, typer.Option("--out", help="Where to write.")]

app = typer.Typer(help=__doc__, no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)


@app.command()
def extract(program: Annotated[Path, typer.Option(help="The program's folder.")], out: OutOption) -> None:
    """Build the IDL from the program (needs Cargo)."""
    GeneratedOutput.file(out, json_text(extract_idl(program))).write()


@app.command()
def complete(idl: IdlOption, rules: Annotated[Path, typer.Option(help="The address rules.")], out: OutOption) -> None:
    """Add the addresses that Anchor's macro leaves out."""
    GeneratedOutput.file(out, json_text(complete_idl(_load(idl), load_rules(rules)))).write()


@app.command()
def legacy(idl: IdlOption, out: OutOption) -> None:
    """Write the IDL in its pre-0.30 form."""
    GeneratedOutput.file(out, json_text(legacy_idl(_load(idl)))).write()


@app.command()
def python(idl: IdlOption, out: OutOption) -> None:
    """Write the Python package, for any IDL of Anchor 0.30 or later."""
    GeneratedOutput.folder(out, package_files(parse_idl(_load(idl)))).write()


@app.command()
def generate(
    from_idl: Annotated[bool, typer.Option("--from-idl", help="Start from the committed IDL, without Cargo.")] = False,
    check: Annotated[
        bool, typer.Option("--check", help="Write nothing; exit 1 if a file on disk is out of date.")
    ] = False,
) -> None:
    """Run every step."""
    project = load_project(Path("pyproject.toml"))
    if from_idl:
        idl = _load(project.idl)
    else:
        idl = complete_idl(extract_idl(project.program), load_rules(project.rules))
    outputs = [
        GeneratedOutput.file(project.idl, json_text(idl)),
        GeneratedOutput.file(project.legacy, json_text(legacy_idl(idl))),
        GeneratedOutput.folder(project.package, package_files(parse_idl(idl))),
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
        data = json.loads(path.read_text("utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise CodegenError(f"{path} cannot be read: {error}") from error
    if not isinstance(data, dict):
        raise CodegenError(f"{path} is not an IDL: it is not an object of JSON")
    return data


def main() -> None:
    """Runs a step; a CodegenError is printed on stderr as one line, and the exit status is 1."""
    try:
        app()
    except CodegenError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(1)


if __name__ == "__main__":
    main()
