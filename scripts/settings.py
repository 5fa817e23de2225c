"""Writes the tables of docs/settings.md from the declarations of settings. With --check nothing is written; exit code 1
if the page differs.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

from anchor_client.service.settings import Settings, declared, default_of, meanings, said, variable
from market_cli.settings.keys import TABLES, CommandSettings, service_settings

PAGE = Path(__file__).resolve().parents[1] / "docs/settings.md"
HEADINGS = {"indexer": "Indexer", "keeper": "Keeper", "oracle": "Oracle", "host": "Host agent", "up": "Local market"}
COLUMNS = "| name | flag | environment variable | default | meaning |\n|---|---|---|---|---|\n"


def page(text: str) -> str:
    """The page with the first table under each heading replaced."""
    tables: dict[str, type[Settings]] = {"Command line": CommandSettings}
    tables |= {HEADINGS[name]: kind for name, kind in service_settings().items()}
    for heading, kind in tables.items():
        before, title, rest = text.partition(f"\n## {heading}\n")
        prose, _, table = rest.partition("\n|")
        _, gap, after = table.partition("\n\n")
        text = "".join((before, title, prose, "\n", COLUMNS, "\n".join(_rows(kind)), gap or "\n", after))
    return text


def _rows(kind: type[Settings]) -> Iterator[str]:
    told = meanings(kind)
    for name, about in declared(kind).items():
        if about.of_cluster:
            continue
        flag = about.flag if kind is CommandSettings else about.flags(name)
        of_file = f"{name}.SYMBOL" if name in TABLES else name
        default = about.shown or _code(said(default_of(kind, name)))
        cells = (_code(of_file), _code((flag or "").partition("/")[0]), _code(variable(kind, name)), default)
        yield f"| {' | '.join((*cells, told[name]))} |".replace("|  |", "| |").replace("|  |", "| |")


def _code(text: str) -> str:
    return text and f"`{text}`"


def main() -> None:
    """Writes or checks the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    check = parser.parse_args().check
    old = PAGE.read_text("utf-8")
    new = page(old)
    if check and new != old:
        sys.exit("out of date, run make generate: docs/settings.md")
    if not check:
        PAGE.write_text(new, "utf-8")


if __name__ == "__main__":
    main()
