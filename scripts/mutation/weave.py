"""Rust sources with several mutations, one of which is chosen in the built program.

Building the program takes ten times as long as a mutation's tests. So each function to mutate gets a second body beside
its own, and a byte in the built program selects which of them runs.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from .failure import Failure
from .listed import Mutation

MARK = b"mutation chosen:"
MOST = 255
SWITCH = """
pub mod mutation {
    #[used]
    static CHOSEN: [u8; 17] = *b"mutation chosen:\\0";

    #[inline(never)]
    pub fn chosen() -> u8 {
        // SAFETY: a reference to a static; volatile, since the byte is written once the program is built.
        unsafe { core::ptr::read_volatile(&CHOSEN[16]) }
    }
}
"""
TOKEN = re.compile(
    r"""//[^\n]*|/\*.*?\*/|b?"(?:\\.|[^"\\])*"|b?'(?:\\.|[^'\\])'|(?P<const>\bconst\s+)?\bfn\s+\w+|[{}()\[\];]""",
    re.DOTALL,
)

Body = tuple[int, int]
"""Positions of a function's braces in its source."""


def body_around(source: str, start: int, end: int) -> Body | None:
    """The body of the innermost function around a piece of source; None outside functions and in const ones."""
    braces: list[tuple[int, bool, bool]] = []
    brackets, is_body, is_const = 0, False, False
    for token in TOKEN.finditer(source):
        match token[0]:
            case "(" | "[":
                brackets += 1
            case ")" | "]":
                brackets -= 1
            case ";" if not brackets:
                is_body = False
            case "{":
                braces.append((token.start(), is_body, is_const))
                is_body = False
            case "}":
                opened, was_body, was_const = braces.pop()
                if was_body and opened < start and end <= token.start():
                    return None if was_const else (opened, token.end())
            case text if "fn" in text.split()[-2:-1]:
                is_body, is_const = True, token["const"] is not None
    return None


def groups(mutations: Iterable[Mutation], sources: Mapping[str, str]) -> list[list[Mutation]]:
    """Mutations that share a build: no two in one function. One outside any function is alone."""
    alone: list[list[Mutation]] = []
    together: list[dict[tuple[str, Body], Mutation]] = []
    for each in mutations:
        body = _body_of(each, sources[each.file])
        if body is None:
            alone.append([each])
            continue
        key = (each.file, body)
        group = next((group for group in together if key not in group and len(group) < MOST), None)
        if group is None:
            together.append(group := {})
        group[key] = each
    return [list(group.values()) for group in together] + alone


def weave(group: list[Mutation], sources: Mapping[str, str]) -> dict[str, str]:
    """The changed files of a group: its mutations numbered from one, or just the one that is alone."""
    changed: dict[str, str] = {}
    places: dict[str, list[tuple[Body, int, Mutation]]] = {}
    for number, each in enumerate(group, 1):
        body = _body_of(each, sources[each.file])
        if body is None:
            return {each.file: each.apply(sources[each.file])}
        places.setdefault(each.file, []).append((body, number, each))
    for file, found in places.items():
        source = sources[file]
        for (start, end), number, each in sorted(found, key=lambda place: place[0], reverse=True):
            own = source[start:end]
            both = f"{{ match crate::mutation::chosen() {{ {number} => {each.apply(own)}, _ => {own} }} }}"
            source = source[:start] + both + source[end:]
        changed[file] = source
    return changed


def is_switched(group: list[Mutation], sources: Mapping[str, str]) -> bool:
    """True where the group's build has a switch; that of a lone mutation may have none."""
    return all(_body_of(each, sources[each.file]) is not None for each in group)


def choose(program: bytes, number: int) -> bytes:
    """The program with a mutation chosen, zero for none. Failure if it has no switch."""
    if program.count(MARK) != 1:
        raise Failure(f"the built program has {program.count(MARK)} switches instead of one")
    place = program.index(MARK) + len(MARK)
    return program[:place] + bytes([number]) + program[place + 1 :]


def _body_of(mutation: Mutation, source: str) -> Body | None:
    start = source.index(mutation.old)
    return body_around(source, start, start + len(mutation.old))
