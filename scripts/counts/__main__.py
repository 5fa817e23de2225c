"""Prints the counts as a table; with --openings the docstrings that open with a question word."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from .language import colliding_classes, conditional_expressions, docstrings, tuple_assignments
from .sources import Source, sources
from .structure import cycles, files_side_by_side, imports

MOST_PERCENT = 1
"""Of all docstrings, those that may open with a question word."""


def table(files: list[Source]) -> Iterator[tuple[str, str]]:
    """Rows of the table: each count with its name."""
    said = [each for source in files for each in docstrings(source)]
    asking = sum(each.opens_with_question for each in said)
    yield "docstrings that open with a question word", f"{asking} of {len(said)} ({asking / len(said):.1%})"
    shared, classes = colliding_classes(files)
    yield "classes with a name that another file has", f"{shared.total()} of {classes} ({shared.total() / classes:.1%})"
    yield "the most shared names", ", ".join(f"{name} x{count}" for name, count in shared.most_common(6))
    for what, some in (("outside tests", False), ("in tests", True)):
        part = [source for source in files if source.is_test is some]
        lines = sum(source.text.count("\n") for source in part)
        counted = {
            "conditional expressions": sum(map(conditional_expressions, part)),
            "tuple assignments": sum(map(tuple_assignments, part)),
            "comments": sum(1 for source in part for _ in source.comments()),
        }
        yield f"lines {what}", f"{lines:,}"
        for name, count in counted.items():
            yield f"{name} {what}", f"{count} ({count * 1000 / lines:.1f} in a thousand lines)"
    beside = files_side_by_side(files).most_common(5)
    yield "most files side by side", ", ".join(f"{folder} {count}" for folder, count in beside)
    yield "cycles of imports", str(len(cycles(imports(files))))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--openings", action="store_true", help="list the docstrings that open with a question word")
    parser.add_argument("--check", action="store_true", help="fail where more open so than the project allows")
    parser.add_argument("--cycles", action="store_true", help="list the modules that import one another in a circle")
    wanted = parser.parse_args()
    files = sources()
    said = [each for source in files for each in docstrings(source)]
    asking = [each for each in said if each.opens_with_question]
    if wanted.openings or (wanted.check and len(asking) * 100 > len(said) * MOST_PERCENT):
        for each in asking:
            print(f"{each.file}:{each.line}: {each.text.splitlines()[0]}")
        if wanted.check:
            raise SystemExit("Open a docstring with a noun (what a thing is) or with a verb (what it does).")
    elif wanted.check:
        return
    elif wanted.cycles:
        for circle in cycles(imports(files)):
            print(" -> ".join(circle))
    else:
        rows = list(table(files))
        width = max(len(what) for what, _ in rows)
        for what, count in rows:
            print(f"{what:<{width}}  {count}")


if __name__ == "__main__":
    main()
