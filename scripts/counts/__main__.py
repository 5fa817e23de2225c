"""Prints the counts as a table, or the docstrings, names or cycles that make up one of them."""

from __future__ import annotations

import argparse
import signal
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from types import MappingProxyType

from .chain import assumed
from .density import DENSITIES, too_dense
from .edits import of_instruction, of_listed, of_path
from .language import Docstring, colliding_classes, doc_comments, docstrings
from .sources import ROOT, Source, sources, texts
from .structure import cycles, files_side_by_side, imports
from .walk import walk

MOST_ASKING_PERCENT = 1
"""Of all docstrings, and of all doc comments of a language, those that may open with a question word."""
COMMENTED = MappingProxyType({"Rust": ("*.rs",), "TypeScript": ("*.ts", "*.svelte")})
"""Languages with doc comments, with patterns of their files."""
MOST_SHARED_PERCENT = 5
"""Of all classes outside tests, those that may have the name of a class in another file."""


def table(files: list[Source], comments: Mapping[str, Sequence[Docstring]]) -> Iterator[tuple[str, str]]:
    """Rows of the table: each count with its name. `comments` are the doc comments of other languages."""
    said_in = {"docstrings": _said(files), **{f"doc comments in {name}": of for name, of in comments.items()}}
    for what, said in said_in.items():
        opened = sum(each.opens_with_question for each in said)
        yield f"{what} that open with a question word", f"{opened} of {len(said)} ({opened / len(said):.1%})"
    shared, classes = colliding_classes(files)
    counts = Counter({name: len(places) for name, places in shared.items()})
    yield "classes with a name that another file has", f"{counts.total()} of {classes} ({counts.total() / classes:.1%})"
    yield "the most shared names", ", ".join(f"{name} x{count}" for name, count in counts.most_common(6))
    for what, some in (("outside tests", False), ("in tests", True)):
        part = [source for source in files if source.is_test is some]
        lines = sum(source.text.count("\n") for source in part)
        counted = {density.name: sum(map(density.count, part)) for density in DENSITIES}
        counted["comments"] = sum(1 for source in part for _ in source.comments())
        yield f"lines {what}", f"{lines:,}"
        for name, count in counted.items():
            yield f"{name} {what}", f"{count} ({count * 1000 / lines:.1f} in a thousand lines)"
    beside = files_side_by_side(files).most_common(5)
    yield "most files side by side", ", ".join(f"{folder} {count}" for folder, count in beside)
    yield "cycles of imports", str(len(cycles(imports(files))))
    written = texts()
    yield "files that name an instruction, median", of_instruction(written)
    yield "files that are an instruction's own or list its area's, median", of_listed(written)
    yield "files that name a path of the API, median", of_path(written)
    yield "walk of a price", "{} files, {} hops".format(*walk(files))


def asking(said: Sequence[Docstring]) -> Iterator[str]:
    """Lines that name the docstrings that open with a question word."""
    for each in said:
        if each.opens_with_question:
            yield f"{each.file}:{each.line}: {each.text.splitlines()[0]}"


def _said(files: list[Source]) -> list[Docstring]:
    return [each for source in files for each in docstrings(source)]


def sharing(files: list[Source]) -> Iterator[str]:
    """Lines that name the classes whose name another file has, a name a line, the most shared first."""
    shared, _ = colliding_classes(files)
    for name, places in sorted(shared.items(), key=lambda each: (-len(each[1]), each[0])):
        yield f"{name}: {', '.join(places)}"


def check(files: list[Source], comments: Mapping[str, Sequence[Docstring]] = MappingProxyType({})) -> Iterator[str]:
    """Lines that say where a count exceeds what the project allows, with remedies; none where all is well."""
    for said in (_said(files), *comments.values()):
        opened = list(asking(said))
        if len(opened) * 100 > len(said) * MOST_ASKING_PERCENT:
            yield from opened
            yield "Open a docstring with a noun (what a thing is) or with a verb (what it does)."
    shared, classes = colliding_classes(files)
    count = sum(map(len, shared.values()))
    if count * 100 > classes * MOST_SHARED_PERCENT:
        yield from sharing(files)
        yield (
            f"{count} of {classes} classes share their name with a class in another file, "
            f"more than {MOST_SHARED_PERCENT} %. Give a class a name that says which: JournalEntry, not Entry."
        )
    yield from too_dense(files)
    assuming = list(assumed(files))
    if assuming:
        yield from assuming
        yield "Read slots, fees and rent from the chain; see anchor_client/solana/pace.py and slots.py."


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--openings", action="store_true", help="list the docstrings that open with a question word")
    parser.add_argument("--names", action="store_true", help="list the classes with a name that another file has")
    parser.add_argument(
        "--check", action="store_true", help="fail where docstrings, names or density exceed what the project allows"
    )
    parser.add_argument("--cycles", action="store_true", help="list the modules that import one another in a circle")
    wanted = parser.parse_args()
    files = sources()
    comments = {name: list(doc_comments(texts(ROOT, *patterns))) for name, patterns in COMMENTED.items()}
    if wanted.check:
        wrong = list(check(files, comments))
        if wrong:
            raise SystemExit("\n".join(wrong))
    elif wanted.openings or wanted.names or wanted.cycles:
        for line in chain(
            asking([*_said(files), *chain.from_iterable(comments.values())]) if wanted.openings else (),
            sharing(files) if wanted.names else (),
            map(" -> ".join, cycles(imports(files))) if wanted.cycles else (),
        ):
            print(line)
    else:
        rows = list(table(files, comments))
        width = max(len(what) for what, _ in rows)
        for what, count in rows:
            print(f"{what:<{width}}  {count}")


if __name__ == "__main__":
    # Ends in silence when the reader of a pipe has seen enough.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    main()
